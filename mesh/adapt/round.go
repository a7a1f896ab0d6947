package adapt

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
	"github.com/atoll-hpc/atoll/partition"
)

// chunk is how many items a goroutine takes at once.
const chunk = 64

// each calls f for items 0 to n-1 on the workers.
func (e *engine) each(n int, f func(w *operation.Worker, i int)) { eachOf(e.workers, n, chunk, f) }

// eachOf calls f for items 0 to n-1 on workers that take so many items at once.
func eachOf(workers []*operation.Worker, n, grain int, f func(w *operation.Worker, i int)) {
	if n < 2*grain || len(workers) == 1 {
		for i := range n {
			f(workers[0], i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for _, w := range workers {
		wait.Go(func() {
			for {
				from := int(next.Add(int64(grain))) - grain
				for i := from; i < min(n, from+grain); i++ {
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
func (e *engine) marked(kind operation.Kind) []int32 {
	e.active = e.active[:0]
	for v, bits := range e.marks {
		if bits>>kind&1 != 0 && e.Degree(int32(v)) > 0 && e.mine(int32(v)) {
			e.active = append(e.active, int32(v))
		}
	}
	return e.active
}

// markAll marks a vertex for all operations.
const markAll = 1<<operation.Kinds - 1

// growMarks makes room for the marks of new vertices.
func (e *engine) growMarks() { e.marks = append(e.marks, make([]uint32, len(e.X)-len(e.marks))...) }

// runRound runs a round of an operation, and returns how many were applied on all parts.
func (e *engine) runRound(kind operation.Kind) int {
	e.Round++
	share := uint64(1)
	if kind == operation.Thin {
		share = thinShare
	}
	if e.device != nil {
		return e.device.Round(int32(kind), share)
	}
	e.meet()
	pivots := e.marked(kind)
	if share > 1 {
		pivots = slices.DeleteFunc(pivots, func(v int32) bool { return e.Hash(v)%share != 0 })
	}
	e.evaluate(kind, pivots)
	taken := e.choose()
	total := e.total(len(taken))
	if kind == operation.Split {
		e.number(taken, total)
	}
	e.applyAll(taken)
	return total
}

// evaluate sets e.found to the candidates whose pivots are the given vertices. Vertices without a candidate are
// unmarked until something around them changes.
func (e *engine) evaluate(kind operation.Kind, pivots []int32) {
	for _, w := range e.workers {
		w.Reset()
	}
	e.each(len(pivots), func(w *operation.Worker, i int) {
		before := len(w.Found)
		e.Evaluate(w, kind, pivots[i])
		if len(w.Found) == before {
			e.marks[pivots[i]] &^= 1 << kind
		}
	})
	e.found = e.found[:0]
	for _, w := range e.workers {
		for i := range w.Found {
			e.found = append(e.found, &w.Found[i])
		}
	}
}

// renumber numbers vertices and cells anew if there are more than so many times as many as the last time: new ones are
// far from those around them in memory.
func (e *engine) renumber(times float64) {
	if e.device != nil || float64(len(e.X)) <= times*float64(e.numbered) {
		return
	}
	e.growMarks()
	order := mutable.Renumber(e.Mesh, e.ex == nil)
	e.numbered, e.marks = len(order), partition.Permuted(e.marks, order)
	if e.ex == nil {
		return
	}
	e.owner = partition.Permuted(e.owner, order)
	for v := range order {
		e.at[e.ID[v]] = int32(v)
	}
}
