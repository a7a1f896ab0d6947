package operation

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// splits are those of edges of tetrahedra.
type splits struct{ *Rules }

// evaluate evaluates the split of an edge that is longer than √2.
func (op splits) evaluate(w *Worker, a, b int32) {
	c := Candidate{Kind: Split, A: a, B: b, C: -1}
	l, probed := op.splitLength(a, b, &c.Born)
	if l <= kernels.Longest {
		return
	}
	line := op.LineTo(a, b)
	if line != nil && op.LineKinds[line.Tag].Required {
		return
	}
	c.Cavity = op.shell(w, a, b)
	c.Born.Freedom = uint8(op.Dim)
	if line != nil {
		c.Born.Freedom = 1
	} else {
		on, required := op.OnFace(c.Cavity, a, b)
		if required {
			w.drop(c.Cavity)
			return
		}
		if on {
			c.Born.Freedom = 2
		}
	}
	if op.KeepBoundary && c.Born.Freedom < uint8(op.Dim) {
		w.drop(c.Cavity)
		return
	}
	op.place(&c, line, probed)
	floor := min(kernels.SplitFloor, 0.5*op.Worst(c.Cavity))
	switch {
	case op.atHeldFacet(c.Cavity):
		floor = min(kernels.SplitFloor, op.Worst(c.Cavity))
	case l > 4:
		floor = 0
	}
	w.Cells = w.Cells[:0]
	if !op.build(w, &c, floor) || l < 2 && !op.longEnough(w.Cells, &c) {
		w.drop(c.Cavity)
		return
	}
	c.LowID, c.HighID = op.LowestFirst(a, b)
	c.Key = op.Key(kernels.LengthClass(l), c.LowID, c.HighID)
	w.keep(&c)
}

// atHeldFacet reports whether a cell has a facet that stays as it is, or a vertex of a boundary that does. The edges
// from the ends of the facet to another vertex are as long as the facet, however near the vertex is: without a floor
// they would be split until the cell is flat.
func (op splits) atHeldFacet(cells []int32) bool {
	for _, k := range cells {
		c := &op.Cells[k]
		for i, v := range c.V[:op.Dim+1] {
			if op.KeepBoundary && op.Freedom[v] < uint8(op.Dim) || c.Tag[i] != 0 && op.Facets[c.Tag[i]].Required {
				return true
			}
		}
	}
	return false
}

// splitLength returns the length of an edge. If the edge is longer than the resolution of the field, the metric at its
// midpoint counts too, since the field may be finer between the vertices; then born has that metric, and probed is
// true.
func (op splits) splitLength(a, b int32, born *kernels.Birth) (l float64, probed bool) {
	l = op.Length(a, b)
	if l > kernels.Longest {
		return l, false
	}
	u := measure.Sub(&op.X[b], &op.X[a])
	if !(measure.Dot(&u, &u) > op.Probe*op.Probe) {
		return l, false
	}
	op.setMetric(born, op.middle(a, b))
	// Simpson's rule for the length element.
	return max(l, l/3+2*math.Sqrt(measure.Square(op.Dim, &born.M, &u))/3), true
}

// middle is the midpoint of an edge, with the same bits for both directions.
func (op splits) middle(a, b int32) (p measure.Vector) {
	for i := range p {
		p[i] = 0.5 * (op.X[a][i] + op.X[b][i])
	}
	return p
}

func (op splits) setMetric(born *kernels.Birth, x measure.Vector) {
	born.X, born.Want = x, op.Field(x)
	born.M = op.Soften(&born.Want)
}

// place sets the position and the metric of the new vertex: the midpoint of the edge, or that of its piece of a line.
func (op splits) place(c *Candidate, line *mutable.LineEnd, probed bool) {
	if line == nil {
		middle := op.middle(c.A, c.B)
		if c.Born.Freedom == 2 && op.Skin != nil {
			middle, _, _ = op.Skin.Nearest(&middle, op.kindOf(c))
			probed = false
		}
		if !probed {
			op.setMetric(&c.Born, middle)
		}
		return
	}
	c.Born.Curve, c.Born.Tag = line.Curve, line.Tag
	c.Born.S = 0.5 * (line.S + op.Parameter(c.A, line))
	op.setMetric(&c.Born, op.Curves.At(line.Curve, c.Born.S))
}

// kindOf returns the kind of the tagged faces at the edge of a candidate.
func (op splits) kindOf(c *Candidate) int32 {
	for _, k := range c.Cavity {
		for i, v := range op.Cells[k].V {
			if tag := op.Cells[k].Tag[i]; tag != 0 && v != c.A && v != c.B {
				return tag
			}
		}
	}
	return 0
}

// build appends the halves of the cells of the cavity to w.Cells, unless one has a quality of at most floor.
func (op splits) build(w *Worker, c *Candidate, floor float64) bool {
	for _, k := range c.Cavity {
		old := &op.Cells[k]
		for _, side := range [2][2]int32{{c.A, c.B}, {c.B, c.A}} {
			n := replaced(op.Dim, old, side[0], mutable.Unborn)
			n.Tag[old.Find(op.Dim, side[1])] = 0 // the new facet between both halves
			if !op.finish(&n, &c.Born, floor) {
				return false
			}
			w.Cells = append(w.Cells, n)
		}
	}
	return true
}

// longEnough reports whether the new edges of a split, apart from the halves of the edge, are at least as long as
// allowed: otherwise they would be collapsed, and the edge would be split again.
func (op splits) longEnough(cells []mutable.Cell, c *Candidate) bool {
	for i := range cells {
		for _, v := range cells[i].V[:op.Dim+1] {
			if v != mutable.Unborn && v != c.A && v != c.B &&
				measure.EdgeLength(op.Dim, &op.X[v], &op.M[v], &c.Born.X, &c.Born.M) < op.LeastNew {
				return false
			}
		}
	}
	return true
}
