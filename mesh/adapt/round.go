package adapt

import (
	"slices"
	"sync"
	"sync/atomic"
)

// chunk is how many items a goroutine takes at once.
const chunk = 64

// each calls f for items 0 to n-1 on the workers.
func (e *engine) each(n int, f func(w *worker, i int)) {
	if n < 2*chunk || len(e.workers) == 1 {
		for i := range n {
			f(e.workers[0], i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for _, w := range e.workers {
		wait.Go(func() {
			for {
				from := int(next.Add(chunk)) - chunk
				for i := from; i < min(n, from+chunk); i++ {
					f(w, i)
				}
				if from >= n {
					return
				}
			}
		})
	}
	wait.Wait()
}

// marked returns the vertices that are marked for an operation.
func (e *engine) marked(op operation) []int32 {
	e.active = e.active[:0]
	for v, bits := range e.marks {
		if bits>>op&1 != 0 && e.Ball.Count(int32(v)) > 0 && e.mine(int32(v)) {
			e.active = append(e.active, int32(v))
		}
	}
	return e.active
}

// markAll marks a vertex for all operations.
const markAll = 1<<operations - 1

// runRound runs a round of an operation, and returns how many were applied on all parts.
func (e *engine) runRound(op operation) int {
	e.round++
	e.meet()
	pivots := e.marked(op)
	if op == thin {
		pivots = slices.DeleteFunc(pivots, func(v int32) bool { return e.hashOf(v)%thinShare != 0 })
	}
	e.evaluate(op, pivots)
	taken := e.choose()
	total := e.total(len(taken))
	if op == split {
		e.number(taken, total)
	}
	e.applyAll(taken)
	return total
}

// evaluate sets e.found to the candidates whose pivots are the given vertices. Vertices without a candidate are
// unmarked until something around them changes.
func (e *engine) evaluate(op operation, pivots []int32) {
	for _, w := range e.workers {
		w.found, w.cavities = w.found[:0], w.cavities[:0]
	}
	e.each(len(pivots), func(w *worker, i int) {
		before := len(w.found)
		e.evaluateAt(w, op, pivots[i])
		if len(w.found) == before {
			e.marks[pivots[i]] &^= 1 << op
		}
	})
	e.found = e.found[:0]
	for _, w := range e.workers {
		for i := range w.found {
			e.found = append(e.found, &w.found[i])
		}
	}
}

// evaluateAt evaluates the candidates with a pivot.
func (e *engine) evaluateAt(w *worker, op operation, pivot int32) {
	if op == collapse || op == repair || op == thin {
		e.evaluateCollapse(w, op, pivot)
		return
	}
	ball := e.Ball.Of(pivot)
	w.near = w.near[:0]
	for _, k := range ball {
		c := &e.Cells[k]
		if op == swap && c.Quality >= e.swapBelow {
			continue
		}
		for _, v := range c.V[:e.Dim+1] {
			if e.ID[v] > e.ID[pivot] && !slices.Contains(w.near, v) {
				w.near = append(w.near, v)
			}
		}
	}
	for _, v := range w.near {
		switch {
		case op == split:
			e.evaluateSplit(w, pivot, v)
		case e.Dim == 2:
			e.evaluateSwap(w, pivot, v)
		default:
			e.evaluateEdgeSwap(w, pivot, v)
		}
	}
	if op == swap && e.Dim == 3 {
		for _, k := range ball {
			if e.Cells[k].Quality < e.swapBelow {
				for i := range 4 {
					e.evaluateFaceSwap(w, k, i, pivot)
				}
			}
		}
	}
}
