package adapt

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// evaluateCollapse finds the best vertex into which vertex a can be collapsed: along an edge shorter than 1/√2, or with
// op == repair along any edge to remove a bad cell, or with op == thin where cells are too small.
func (e *engine) evaluateCollapse(w *worker, op operation, a int32) {
	if e.Freedom[a] == 0 || e.o.KeepBoundary && e.Freedom[a] < int8(e.Dim) {
		return
	}
	ball := e.Ball.Of(a)
	old := e.Worst(ball)
	if op == repair && old >= repairBelow {
		return
	}
	e.neighbours(w, a)
	if op == collapse && slices.Min(w.lengths) >= shortest || op == thin && !e.crowded(w, a) {
		return
	}
	floor, longestNew := min(collapseFloor, old), longest
	switch op {
	case repair:
		floor, longestNew = old*1.02+1e-3, 1.6
	case thin:
		floor, longestNew = min(thinFloor, old), thinLongest
	}
	c := candidate{op: op, a: a, b: -1, c: -1, cavity: ball}
	length := 0.0
	for i, b := range w.near {
		l := w.lengths[i]
		if op == collapse && (l >= shortest || e.soft > 0 && e.WantedLength(a, b) >= shortest) ||
			!e.mayCollapse(a, b, ball) || !e.fits(w, b, longestNew) {
			continue
		}
		try := c
		try.b = b
		w.cells = w.cells[:0]
		if e.buildCollapse(w, &try, floor) && e.keepsVolume(w, &try) {
			c.b, floor, length = b, leastOf(w.cells), l // the next must be better
		}
	}
	if c.b < 0 {
		return
	}
	class := 255 - lengthClass(length)
	if op == repair {
		class = 255 - int(255*max(0, old))
	}
	from := len(w.cavities)
	w.cavities = append(w.cavities, ball...)
	c.cavity = w.cavities[from:len(w.cavities):len(w.cavities)]
	c.ida, c.idb = e.ID[a], e.ID[c.b]
	c.key = e.keyOf(class, c.ida, c.idb)
	w.keep(&c)
}

// neighbours sets w.near to the vertices around a in the order of their ids, of which of equal targets the first is
// taken, and w.lengths to the lengths of the edges.
func (e *engine) neighbours(w *worker, a int32) {
	w.near, w.lengths = w.near[:0], w.lengths[:0]
	for _, k := range e.Ball.Of(a) {
		for _, v := range e.Cells[k].V[:e.Dim+1] {
			if v != a && !slices.Contains(w.near, v) {
				w.near = append(w.near, v)
			}
		}
	}
	slices.SortFunc(w.near, e.ByID)
	for _, v := range w.near {
		w.lengths = append(w.lengths, e.Length(a, v))
	}
}

// fits reports whether the new edges of a collapse into b are short enough. w.near are the vertices around the removed
// one.
func (e *engine) fits(w *worker, b int32, most float64) bool {
	for _, v := range w.near {
		if v != b && e.Length(b, v) > most {
			return false
		}
	}
	return true
}

// mayCollapse reports whether a may be collapsed into b as far as lines and surfaces are concerned: vertices of lines
// along their line, with a deviation within the bound, those of surfaces on their surface.
func (e *engine) mayCollapse(a, b int32, ball []int32) bool {
	switch {
	case e.Freedom[a] == int8(e.Dim):
		return true
	case e.Freedom[a] == 1:
		to, from := &e.Line[a][0], &e.Line[a][1]
		if from.To == b {
			to, from = from, to
		}
		if to.To != b || e.LineTo(b, from.To) != nil {
			return false
		}
		return e.Curves[to.Curve].Near(e.Parameter(a, to), e.Parameter(a, from), &e.X[b], &e.X[from.To], e.o.Hausdorff)
	}
	for _, k := range ball {
		c := &e.Cells[k]
		ib := c.Find(e.Dim, b)
		if ib < 0 {
			continue
		}
		for i := range e.Dim + 1 {
			if c.Tag[i] != 0 && i != ib && c.V[i] != a {
				return !e.Facets[c.Tag[i]].Required
			}
		}
	}
	return false
}

// inherited is a facet that another cell gets with its kind when the cell behind it vanishes.
type inherited struct {
	v   [3]int32
	tag int32
}

// buildCollapse appends the cells around c.a, with c.b instead of it, to w.cells, unless one has a quality of at most
// floor, or a tagged facet would come to lie on another.
func (e *engine) buildCollapse(w *worker, c *candidate, floor float64) bool {
	var kept [16]inherited
	n := 0
	for _, k := range c.cavity {
		old := &e.Cells[k]
		ib := old.Find(e.Dim, c.b)
		if ib < 0 {
			continue
		}
		if old.Tag[ib] != 0 {
			return false
		}
		ia := old.Find(e.Dim, c.a)
		if old.Tag[ia] == 0 {
			continue
		}
		if n == len(kept) {
			return false
		}
		kept[n] = inherited{v: [3]int32{-1, -1, -1}, tag: old.Tag[ia]}
		j := 0
		for i, v := range old.V[:e.Dim+1] {
			if i != ib {
				kept[n].v[j] = v
				j++
			}
		}
		n++
	}
	for _, k := range c.cavity {
		old := &e.Cells[k]
		if old.Has(e.Dim, c.b) {
			continue
		}
		next := replaced(e.Dim, old, c.a, c.b)
		for i := range kept[:n] {
			if j := e.facetOf(old, &kept[i].v); j >= 0 {
				next.Tag[j] = kept[i].tag
			}
		}
		if !e.finish(&next, nil, floor) {
			return false
		}
		w.cells = append(w.cells, next)
	}
	return len(w.cells) > 0
}

// facetOf returns the index of the vertex opposite to the facet of a cell with the given vertices, -1 if it is none.
func (e *engine) facetOf(c *mutable.Cell, v *[3]int32) int {
	sum := 0
	for _, u := range v[:e.Dim] {
		i := c.Find(e.Dim, u)
		if i < 0 {
			return -1
		}
		sum += i
	}
	return e.Dim*(e.Dim+1)/2 - sum
}

// keepsVolume reports whether the collapse of a vertex of a surface keeps the volumes of all materials, that is, the
// surface is flat there, or fits the surface of the input, and whether that of a vertex of a ridge keeps the volumes
// within the distance allowed of its surfaces.
func (e *engine) keepsVolume(w *worker, c *candidate) bool {
	if e.Dim == 2 || e.Freedom[c.a] == 3 {
		return true
	}
	for i, k := range c.cavity {
		ref := e.Cells[k].Ref
		if slices.ContainsFunc(c.cavity[:i], func(k int32) bool { return e.Cells[k].Ref == ref }) {
			continue
		}
		before, after := e.volumeIn(w, ref, c.cavity, nil), e.volumeIn(w, ref, nil, w.cells)
		allowed := 1e-9 * before
		if e.Freedom[c.a] == 1 {
			allowed += e.o.Hausdorff * e.surfaceAround(w, c)
		}
		if !(math.Abs(after-before) <= allowed) {
			return e.Freedom[c.a] == 2 && e.fitsSurface(c, w.cells)
		}
	}
	return true
}

// volumeIn adds the volumes of the cells of a material.
func (e *engine) volumeIn(w *worker, ref int32, cavity []int32, cells []mutable.Cell) float64 {
	w.numbers = w.numbers[:0]
	for _, k := range cavity {
		if e.Cells[k].Ref == ref {
			w.numbers = append(w.numbers, e.VolumeOf(&e.Cells[k]))
		}
	}
	for i := range cells {
		if cells[i].Ref == ref {
			w.numbers = append(w.numbers, e.VolumeOf(&cells[i]))
		}
	}
	return sumInOrder(w.numbers)
}

// surfaceAround is a third of the area of the tagged faces at the removed vertex of a collapse.
func (e *engine) surfaceAround(w *worker, c *candidate) float64 {
	w.numbers = w.numbers[:0]
	for _, k := range c.cavity {
		old := &e.Cells[k]
		for i := range old.V {
			if old.Tag[i] == 0 || old.V[i] == c.a {
				continue
			}
			n := e.faceNormal(old, i)
			w.numbers = append(w.numbers, math.Sqrt(measure.Dot(&n, &n))/6)
		}
	}
	return sumInOrder(w.numbers)
}

// crowded reports whether the triangles around a vertex are so small in the metric that their sizes are nearer to 1
// without the vertex.
func (e *engine) crowded(w *worker, a int32) bool {
	ball := e.Ball.Of(a)
	n := float64(len(ball))
	left := n - 2
	if e.Freedom[a] == 1 {
		left = n - 1
	}
	if left < fewLeft*n {
		return false
	}
	w.numbers = w.numbers[:0]
	for _, k := range ball {
		x, m := e.Corners(&e.Cells[k], nil, nil)
		w.numbers = append(w.numbers, measure.SizeOf(e.Dim, &x, &m))
	}
	return sumInOrder(w.numbers) < thinBelow*n
}

// sumInOrder adds numbers in ascending order, so that the sum does not depend on the order in which they are given.
func sumInOrder(numbers []float64) (sum float64) {
	slices.Sort(numbers)
	for _, x := range numbers {
		sum += x
	}
	return sum
}
