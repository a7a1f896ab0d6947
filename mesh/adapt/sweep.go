package adapt

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/operation"
)

// sweep moves the marked vertices, each once: in sets of vertices without edges between them, chosen as local maxima
// of a hash among those that are left.
func (e *engine) sweep() {
	e.Round++
	if e.device != nil {
		e.device.Sweep()
		return
	}
	e.meet()
	active := e.marked(operation.Smooth)
	e.turns = append(e.turns, make([]uint64, max(0, len(e.X)-len(e.turns)))...)
	e.higher = append(e.higher, make([]int32, max(0, len(e.X)-len(e.higher)))...)
	n := 0
	for _, v := range active {
		e.marks[v] &^= 1 << operation.Smooth
		if e.Freedom[v] > 0 {
			e.turns[v], e.higher[v] = e.turnOf(v), v
			active[n] = v
			n++
		}
	}
	active = active[:n]
	e.exchangeWaits(active)
	for e.total(len(active)) > 0 {
		n, e.set = 0, e.set[:0]
		e.first = slices.Grow(e.first[:0], len(active))[:len(active)]
		e.each(len(active), func(_ *operation.Worker, i int) { e.first[i] = e.isHighest(active[i]) })
		for i, v := range active {
			if e.first[i] {
				e.set = append(e.set, v)
			} else {
				active[n] = v
				n++
			}
		}
		active = active[:n]
		e.moved = slices.Grow(e.moved[:0], len(e.set))[:len(e.set)]
		e.each(len(e.set), func(w *operation.Worker, i int) { e.moved[i] = e.Move(w, e.set[i]) })
		for i, v := range e.set {
			if e.turns[v] = 0; e.moved[i] {
				e.markAround(v)
			}
		}
		e.exchangeMoves()
	}
}

// markAround marks the vertices of the cells around a vertex.
func (e *engine) markAround(v int32) {
	for _, k := range e.Ball(v) {
		for _, u := range e.Cells[k].V[:e.Dim+1] {
			e.marks[u] = markAll
		}
	}
}

// turnOf is the hash of a vertex that waits to be moved, which is not 0.
func (e *engine) turnOf(v int32) uint64 { return max(1, e.Hash(v)) }

// isHighest reports whether a vertex has the highest hash among those around it that wait to be moved.
func (e *engine) isHighest(v int32) bool {
	h := e.turns[v]
	if e.turns[e.higher[v]] > h {
		return false
	}
	for _, k := range e.Ball(v) {
		for _, u := range e.Cells[k].V[:e.Dim+1] {
			if kernels.IsHigher(e.turns[u], e.ID[u], h, e.ID[v]) {
				e.higher[v] = u
				return false
			}
		}
	}
	return true
}
