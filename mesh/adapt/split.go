package adapt

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// evaluateSplit evaluates the split of an edge that is longer than √2.
func (e *engine) evaluateSplit(w *worker, a, b int32) {
	c := candidate{op: split, a: a, b: b, c: -1}
	l, probed := e.splitLength(a, b, &c.born)
	if l <= longest {
		return
	}
	line := e.LineTo(a, b)
	if line != nil && e.LineKinds[line.Tag].Required {
		return
	}
	c.cavity = e.shell(w, a, b)
	c.born.freedom = int8(e.Dim)
	if line != nil {
		c.born.freedom = 1
	} else if e.Dim == 3 {
		on, required := e.OnFace(c.cavity, a, b)
		if required {
			w.drop(c.cavity)
			return
		}
		if on {
			c.born.freedom = 2
		}
	}
	if e.o.KeepBoundary && c.born.freedom < int8(e.Dim) {
		w.drop(c.cavity)
		return
	}
	e.place(&c, line, probed)
	floor := min(splitFloor, 0.5*e.Worst(c.cavity))
	switch {
	case e.atHeldFacet(c.cavity):
		floor = min(splitFloor, e.Worst(c.cavity))
	case l > 4:
		floor = 0
	}
	w.cells = w.cells[:0]
	if !e.buildSplit(w, &c, floor) || l < 2 && !e.longEnough(w.cells, &c) {
		w.drop(c.cavity)
		return
	}
	c.ida, c.idb = e.LowestFirst(a, b)
	c.key = e.keyOf(lengthClass(l), c.ida, c.idb)
	w.keep(&c)
}

// atHeldFacet reports whether a cell has a facet that stays as it is, or a vertex of a boundary that does. The edges
// from the ends of the facet to another vertex are as long as the facet, however near the vertex is: without a floor
// they would be split until the cell is flat.
func (e *engine) atHeldFacet(cells []int32) bool {
	for _, k := range cells {
		c := &e.Cells[k]
		for i, v := range c.V[:e.Dim+1] {
			if e.o.KeepBoundary && e.Freedom[v] < int8(e.Dim) || c.Tag[i] != 0 && e.Facets[c.Tag[i]].Required {
				return true
			}
		}
	}
	return false
}

// splitLength returns the length of an edge. If the edge is longer than the resolution of the field, the metric at its
// midpoint counts too, since the field may be finer between the vertices; then born has that metric, and probed is
// true.
func (e *engine) splitLength(a, b int32, born *birth) (l float64, probed bool) {
	l = e.Length(a, b)
	if l > longest {
		return l, false
	}
	u := measure.Sub(&e.X[b], &e.X[a])
	if !(measure.Dot(&u, &u) > e.o.Probe*e.o.Probe) {
		return l, false
	}
	e.setMetric(born, e.middle(a, b))
	// Simpson's rule for the length element.
	return max(l, l/3+2*math.Sqrt(measure.Square(e.Dim, &born.m, &u))/3), true
}

// middle is the midpoint of an edge, with the same bits for both directions.
func (e *engine) middle(a, b int32) (p measure.Vector) {
	for i := range p {
		p[i] = 0.5 * (e.X[a][i] + e.X[b][i])
	}
	return p
}

func (e *engine) setMetric(born *birth, x measure.Vector) {
	born.x, born.want = x, e.field(x)
	born.m = e.soften(&born.want)
}

// place sets the position and the metric of the new vertex: the midpoint of the edge, or that of its piece of a line.
func (e *engine) place(c *candidate, line *mutable.LineEnd, probed bool) {
	if line == nil {
		middle := e.middle(c.a, c.b)
		if c.born.freedom == 2 && e.skin != nil {
			middle, _, _ = e.skin.Nearest(&middle, e.kindOf(c))
			probed = false
		}
		if !probed {
			e.setMetric(&c.born, middle)
		}
		return
	}
	c.born.curve, c.born.tag = line.Curve, line.Tag
	c.born.s = 0.5 * (line.S + e.Parameter(c.a, line))
	e.setMetric(&c.born, e.Curves[line.Curve].At(c.born.s))
}

// kindOf returns the kind of the tagged faces at the edge of a candidate.
func (e *engine) kindOf(c *candidate) int32 {
	for _, k := range c.cavity {
		for i, v := range e.Cells[k].V {
			if tag := e.Cells[k].Tag[i]; tag != 0 && v != c.a && v != c.b {
				return tag
			}
		}
	}
	return 0
}

// buildSplit appends the halves of the cells of the cavity to w.cells, unless one has a quality of at most floor.
func (e *engine) buildSplit(w *worker, c *candidate, floor float64) bool {
	for _, k := range c.cavity {
		old := &e.Cells[k]
		for _, side := range [2][2]int32{{c.a, c.b}, {c.b, c.a}} {
			n := replaced(e.Dim, old, side[0], mutable.Unborn)
			n.Tag[old.Find(e.Dim, side[1])] = 0 // the new facet between both halves
			if !e.finish(&n, &c.born, floor) {
				return false
			}
			w.cells = append(w.cells, n)
		}
	}
	return true
}

// longEnough reports whether the new edges of a split, apart from the halves of the edge, are at least as long as
// allowed: otherwise they would be collapsed, and the edge would be split again.
func (e *engine) longEnough(cells []mutable.Cell, c *candidate) bool {
	for i := range cells {
		for _, v := range cells[i].V[:e.Dim+1] {
			if v != mutable.Unborn && v != c.a && v != c.b &&
				measure.EdgeLength(e.Dim, &e.X[v], &e.M[v], &c.born.x, &c.born.m) < e.leastNew {
				return false
			}
		}
	}
	return true
}
