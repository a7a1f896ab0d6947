package adapt

import "github.com/atoll-hpc/atoll/mesh/adapt/mutable"

// fitsSurface reports whether new cells are as near to the surface of the input as allowed, or as those of the cavity
// of a candidate.
func (e *engine) fitsSurface(c *candidate, cells []mutable.Cell) bool {
	if e.skin == nil {
		return false
	}
	after, aligned := mutable.Misfit(e.Mesh, e.skin, cells, -1)
	if !aligned {
		return false
	}
	if after <= e.o.Hausdorff*e.o.Hausdorff {
		return true
	}
	before := 0.0
	for _, k := range c.cavity {
		d, _ := mutable.Misfit(e.Mesh, e.skin, e.Cells[k:k+1], -1)
		before = max(before, d)
	}
	return after <= before
}

// around copies the cells around a vertex.
func (e *engine) around(w *worker, v int32) []mutable.Cell {
	w.cells = w.cells[:0]
	for _, k := range e.Ball.Of(v) {
		w.cells = append(w.cells, e.Cells[k])
	}
	return w.cells
}
