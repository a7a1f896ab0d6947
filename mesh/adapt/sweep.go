package adapt

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
)

// sweep moves the marked vertices, each once and after all around it with a higher hash. Any order of which this is
// true gives the same mesh.
func (e *engine) sweep() {
	e.Round++
	if e.device != nil {
		e.device.Sweep()
		return
	}
	e.meet()
	waiting := e.marked(operation.Smooth)
	e.turns = append(e.turns, make([]uint64, max(0, len(e.X)-len(e.turns)))...)
	n := 0
	for _, v := range waiting {
		e.marks[v] &^= 1 << operation.Smooth
		if e.Freedom[v] > 0 {
			e.turns[v] = e.Turn(e.ID[v])
			waiting[n] = v
			n++
		}
	}
	waiting = waiting[:n]
	e.exchangeWaits(waiting)
	for e.total(len(waiting)) > 0 {
		waiting = e.moveAll(waiting)
		e.exchangeMoves()
	}
}

// walk moves the vertices of a range, those first for which others wait.
type walk struct {
	*engine
	first, last   int32 // vertex of the range
	path          []step
	moved, stayed []int32 // since the last exchange
}

// step is a vertex on the way to one that does not wait for another. Those in the first cells around it need not be
// asked again.
type step struct{ v, cell int32 }

// moveAll moves vertices that wait, of ascending indices, but those of which one before them is on another rank or has
// just been out of reach of the goroutine. It returns these.
func (e *engine) moveAll(waiting []int32) (left []int32) {
	parts := 1
	if len(e.workers) > 1 {
		parts = min(4*len(e.workers), 1+len(waiting)/(4*chunk))
	}
	for len(e.walks) < parts {
		e.walks = append(e.walks, walk{engine: e})
	}
	eachOf(e.workers, parts, 1, func(w *operation.Worker, i int) {
		e.walks[i].run(w, waiting[i*len(waiting)/parts:(i+1)*len(waiting)/parts])
	})
	n := 0
	for _, v := range waiting {
		if e.turns[v] != 0 {
			waiting[n] = v
			n++
		}
	}
	return waiting[:n]
}

// run moves vertices of ascending indices.
func (k *walk) run(w *operation.Worker, waiting []int32) {
	k.moved, k.stayed = k.moved[:0], k.stayed[:0]
	if len(waiting) == 0 {
		return
	}
	k.first, k.last = waiting[0], waiting[len(waiting)-1]
	for _, v := range waiting {
		if atomic.LoadUint64(&k.turns[v]) != 0 {
			k.moveFrom(w, v)
		}
	}
}

// moveFrom moves a vertex after those for which it waits, and for which these wait.
func (k *walk) moveFrom(w *operation.Worker, v int32) {
	k.path = append(k.path[:0], step{v: v})
	for len(k.path) > 0 {
		at := &k.path[len(k.path)-1]
		if u := k.before(at); u >= 0 {
			if u < k.first || u > k.last || !k.mine(u) {
				return
			}
			k.path = append(k.path, step{v: u})
			continue
		}
		if k.Move(w, at.v) {
			k.markAround(at.v)
			k.moved = append(k.moved, at.v)
		} else {
			k.stayed = append(k.stayed, at.v)
		}
		atomic.StoreUint64(&k.turns[at.v], 0)
		k.path = k.path[:len(k.path)-1]
	}
}

// before returns a vertex around one that waits to be moved before it, -1 for none.
func (k *walk) before(at *step) int32 {
	h, ball := k.turns[at.v], k.Ball(at.v)
	for ; int(at.cell) < len(ball); at.cell++ {
		for _, u := range k.Cells[ball[at.cell]].V[:k.Dim+1] {
			if o := atomic.LoadUint64(&k.turns[u]); o >= h && kernels.IsHigher(o, k.ID[u], h, k.ID[at.v]) {
				return u
			}
		}
	}
	return -1
}

// markAround marks the vertices of the cells around a vertex.
func (e *engine) markAround(v int32) {
	for _, k := range e.Ball(v) {
		for _, u := range e.Cells[k].V[:e.Dim+1] {
			if atomic.LoadUint32(&e.marks[u]) != markAll { // other goroutines mark too
				atomic.StoreUint32(&e.marks[u], markAll)
			}
		}
	}
}
