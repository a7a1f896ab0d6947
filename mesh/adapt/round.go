package adapt

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
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
		if bits>>op&1 != 0 && e.Ball.At[v].N > 0 {
			e.active = append(e.active, int32(v))
		}
	}
	return e.active
}

// markAll marks a vertex for all operations.
const markAll = 1<<operations - 1

// runRound runs a round of an operation, and returns how many were applied.
func (e *engine) runRound(op operation) int {
	e.round++
	pivots := e.marked(op)
	if op == thin {
		pivots = slices.DeleteFunc(pivots, func(v int32) bool { return e.hashOf(v)%thinShare != 0 })
	}
	e.evaluate(op, pivots)
	taken := e.choose()
	if op == split { // new ids in the order of the parents' ids
		slices.SortFunc(taken, func(i, j int32) int {
			a, b := e.found[i], e.found[j]
			return cmp.Or(cmp.Compare(a.ida, b.ida), cmp.Compare(a.idb, b.idb))
		})
	}
	for _, i := range taken {
		e.apply(e.found[i])
	}
	return len(taken)
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

// Decisions about a candidate.
const (
	undecided = iota
	chosen
	dropped
)

// choose returns the indices of the candidates that are taken: those with the highest priority on all cells of their
// cavities, and then, repeatedly, those with the highest priority among the ones that share no cell with a taken one.
func (e *engine) choose() (taken []int32) {
	if n := len(e.Cells); len(e.best) < n {
		e.best = append(e.best, make([]int32, n-len(e.best))...)
	}
	decision := make([]uint8, len(e.found))
	open := make([]int32, len(e.found))
	for i, c := range e.found {
		open[i] = int32(i)
		for _, k := range c.cavity {
			e.best[k] = -1
		}
	}
	for len(open) > 0 {
		for _, i := range open {
			for _, k := range e.found[i].cavity {
				if b := e.best[k]; b < 0 || e.found[b].before(e.found[i]) {
					e.best[k] = i
				}
			}
		}
		for _, i := range open {
			if !slices.ContainsFunc(e.found[i].cavity, func(k int32) bool { return e.best[k] != i }) {
				decision[i] = chosen
				taken = append(taken, i)
			}
		}
		n := 0
		for _, i := range open {
			lost := slices.ContainsFunc(e.found[i].cavity, func(k int32) bool { return decision[e.best[k]] == chosen })
			if decision[i] == undecided && !lost {
				open[n] = i
				n++
			}
		}
		open = open[:n]
		for _, i := range open {
			for _, k := range e.found[i].cavity {
				e.best[k] = -1
			}
		}
	}
	return taken
}

// apply applies a taken candidate.
func (e *engine) apply(c *candidate) {
	w := e.workers[0]
	w.cells = w.cells[:0]
	ok := false
	switch c.op {
	case split:
		ok = e.buildSplit(w, c, -1)
	case swap:
		ok = e.buildSwap(w, c, -1)
	default:
		ok = e.buildCollapse(w, c, -1)
	}
	if !ok {
		panic("mesh: a chosen operation cannot be applied")
	}
	born := mutable.Unborn
	if c.op == split {
		born = e.AddVertex(c.born.x, c.born.m, c.born.want, e.NextID, c.born.freedom)
		e.NextID++
		e.marks = append(e.marks, markAll)
		e.splitLine(c, born)
	}
	for _, k := range c.cavity {
		for _, v := range e.Cells[k].V[:e.Dim+1] {
			e.marks[v] = markAll
		}
		e.RemoveCell(k)
	}
	for i := range w.cells {
		n := &w.cells[i]
		for j, v := range n.V[:e.Dim+1] {
			if v == mutable.Unborn {
				n.V[j] = born
			}
		}
		e.AddCell(*n)
	}
	if c.op != split && c.op != swap {
		e.shortenLine(c)
	}
}

// splitLine enters the new vertex of a split into the line of the edge, if there is one.
func (e *engine) splitLine(c *candidate, born int32) {
	ab, ba := e.LineTo(c.a, c.b), e.LineTo(c.b, c.a)
	if ab == nil {
		return
	}
	e.Line[born] = []mutable.LineEnd{{To: c.a, Curve: ab.Curve, Tag: ab.Tag, S: c.born.s, STo: ab.S},
		{To: c.b, Curve: ab.Curve, Tag: ab.Tag, S: c.born.s, STo: ba.S}}
	ab.To, ba.To = born, born
	ab.STo, ba.STo = c.born.s, c.born.s
}

// shortenLine removes the vertex of a collapse from its line, if it is on one.
func (e *engine) shortenLine(c *candidate) {
	if e.Freedom[c.a] != 1 {
		return
	}
	to, from := &e.Line[c.a][0], &e.Line[c.a][1]
	if from.To == c.b {
		to, from = from, to
	}
	atB, atFrom := e.LineTo(c.b, c.a), e.LineTo(from.To, c.a)
	atB.To, atB.STo = from.To, from.STo
	atFrom.To, atFrom.STo = c.b, to.STo
	e.Line[c.a] = nil
}

// sweep moves the marked vertices, each once: in sets of vertices without edges between them, chosen as local maxima
// of a hash among those that are left. It returns how many moved.
func (e *engine) sweep() (moved int) {
	e.round++
	active := e.marked(smooth)
	if len(e.waits) < len(e.X) {
		e.waits = append(e.waits, make([]bool, len(e.X)-len(e.waits))...)
	}
	n := 0
	for _, v := range active {
		e.marks[v] &^= 1 << smooth
		if e.Freedom[v] > 0 {
			e.waits[v] = true
			active[n] = v
			n++
		}
	}
	for active = active[:n]; len(active) > 0; {
		n, e.set = 0, e.set[:0]
		for _, v := range active {
			if e.isHighest(v) {
				e.set = append(e.set, v)
			} else {
				active[n] = v
				n++
			}
		}
		active = active[:n]
		e.moved = slices.Grow(e.moved[:0], len(e.set))[:len(e.set)]
		e.each(len(e.set), func(w *worker, i int) { e.moved[i] = e.move(w, e.set[i]) })
		for i, v := range e.set {
			e.waits[v] = false
			if !e.moved[i] {
				continue
			}
			moved++
			for _, k := range e.Ball.Of(v) {
				for _, u := range e.Cells[k].V[:e.Dim+1] {
					e.marks[u] = markAll
				}
			}
		}
	}
	return moved
}

// hashOf is a hash of a vertex and the round.
func (e *engine) hashOf(v int32) uint64 { return measure.Mix(uint64(e.ID[v]) + e.round<<44) }

// isHighest reports whether a vertex has the highest hash among those around it that wait to be moved.
func (e *engine) isHighest(v int32) bool {
	h := e.hashOf(v)
	for _, k := range e.Ball.Of(v) {
		for _, u := range e.Cells[k].V[:e.Dim+1] {
			if u == v || !e.waits[u] {
				continue
			}
			if o := e.hashOf(u); o > h || o == h && e.ID[u] > e.ID[v] {
				return false
			}
		}
	}
	return true
}
