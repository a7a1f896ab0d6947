package operation

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// collapses are those of edges of tetrahedra into one of their ends.
type collapses struct{ *Rules }

// evaluate finds the best vertex into which vertex a can be collapsed: along an edge shorter than 1/√2, or with
// kind == Repair along any edge to remove a bad cell.
func (op collapses) evaluate(w *Worker, kind Kind, a int32) {
	if op.Freedom[a] == 0 || op.KeepBoundary && op.Freedom[a] < uint8(op.Dim) {
		return
	}
	ball := op.Ball(a)
	old := op.Worst(ball)
	if kind == Repair && old >= kernels.RepairBelow {
		return
	}
	op.neighbours(w, a)
	if kind == Collapse && slices.Min(w.lengths) >= kernels.Shortest {
		return
	}
	floor, longestNew := min(kernels.CollapseFloor, old), kernels.Longest
	if kind == Repair {
		floor, longestNew = old*kernels.SwapGain+1e-3, 1.6
	}
	c := Candidate{Kind: kind, A: a, B: -1, C: -1, Cavity: ball}
	length := 0.0
	for i, b := range w.near {
		l := w.lengths[i]
		if kind == Collapse && (l >= kernels.Shortest || op.Soft > 0 && op.WantedLength(a, b) >= kernels.Shortest) ||
			!op.mayCollapse(a, b, ball) || !op.fits(w, b, longestNew) {
			continue
		}
		try := c
		try.B = b
		w.Cells = w.Cells[:0]
		if op.build(w, &try, floor) && op.keepsVolume(w, &try) {
			c.B, floor, length = b, leastOf(w.Cells), l // the next must be better
		}
	}
	if c.B < 0 {
		return
	}
	class := 255 - kernels.LengthClass(length)
	if kind == Repair {
		class = 255 - int(255*max(0, old))
	}
	c.Cavity = w.cavity(ball...)
	c.LowID, c.HighID = op.ID[a], op.ID[c.B]
	c.Key = op.Key(class, c.LowID, c.HighID)
	w.keep(&c)
}

// neighbours sets w.near to the vertices around a in the order of their ids, of which of equal targets the first is
// taken, and w.lengths to the lengths of the edges.
func (op collapses) neighbours(w *Worker, a int32) {
	w.near, w.lengths = w.near[:0], w.lengths[:0]
	for _, k := range op.Ball(a) {
		for _, v := range op.Cells[k].V[:op.Dim+1] {
			if v != a && !slices.Contains(w.near, v) {
				w.near = append(w.near, v)
			}
		}
	}
	slices.SortFunc(w.near, op.ByID)
	for _, v := range w.near {
		w.lengths = append(w.lengths, op.Length(a, v))
	}
}

// fits reports whether the new edges of a collapse into b are short enough. w.near are the vertices around the removed
// one.
func (op collapses) fits(w *Worker, b int32, most float64) bool {
	for _, v := range w.near {
		if v != b && op.Length(b, v) > most {
			return false
		}
	}
	return true
}

// mayCollapse reports whether a may be collapsed into b as far as lines and surfaces are concerned: vertices of lines
// along their line, with a deviation within the bound, those of surfaces on their surface.
func (op collapses) mayCollapse(a, b int32, ball []int32) bool {
	switch {
	case op.Freedom[a] == uint8(op.Dim):
		return true
	case op.Freedom[a] == 1:
		ends := op.Line(a)
		to, from := &ends[0], &ends[1]
		if from.To == b {
			to, from = from, to
		}
		if to.To != b || op.LineTo(b, from.To) != nil {
			return false
		}
		return op.Curves.Near(to.Curve, op.Parameter(a, to), op.Parameter(a, from), &op.X[b], &op.X[from.To],
			op.Hausdorff)
	}
	for _, k := range ball {
		c := &op.Cells[k]
		ib := c.Find(op.Dim, b)
		if ib < 0 {
			continue
		}
		for i := range op.Dim + 1 {
			if c.Tag[i] != 0 && i != ib && c.V[i] != a {
				return !op.Facets[c.Tag[i]].Required
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

// build appends the cells around c.A, with c.B instead of it, to w.Cells, unless one has a quality of at most
// floor, or a tagged facet would come to lie on another.
func (op collapses) build(w *Worker, c *Candidate, floor float64) bool {
	var kept [16]inherited
	n := 0
	for _, k := range c.Cavity {
		old := &op.Cells[k]
		ib := old.Find(op.Dim, c.B)
		if ib < 0 {
			continue
		}
		if old.Tag[ib] != 0 {
			return false
		}
		ia := old.Find(op.Dim, c.A)
		if old.Tag[ia] == 0 {
			continue
		}
		if n == len(kept) {
			return false
		}
		kept[n] = inherited{v: [3]int32{-1, -1, -1}, tag: old.Tag[ia]}
		j := 0
		for i, v := range old.V[:op.Dim+1] {
			if i != ib {
				kept[n].v[j] = v
				j++
			}
		}
		n++
	}
	for _, k := range c.Cavity {
		old := &op.Cells[k]
		if old.Has(op.Dim, c.B) {
			continue
		}
		next := replaced(op.Dim, old, c.A, c.B)
		for i := range kept[:n] {
			if j := old.Facet(op.Dim, &kept[i].v); j >= 0 {
				next.Tag[j] = kept[i].tag
			}
		}
		if !op.finish(&next, nil, floor) {
			return false
		}
		w.Cells = append(w.Cells, next)
	}
	return len(w.Cells) > 0
}

// keepsVolume reports whether the collapse of a vertex of a surface keeps the volumes of all materials, that is, the
// surface is flat there, or fits the surface of the input, and whether that of a vertex of a ridge keeps the volumes
// within the distance allowed of its surfaces.
func (op collapses) keepsVolume(w *Worker, c *Candidate) bool {
	if op.Freedom[c.A] == 3 {
		return true
	}
	for i, k := range c.Cavity {
		ref := op.Cells[k].Ref
		if slices.ContainsFunc(c.Cavity[:i], func(k int32) bool { return op.Cells[k].Ref == ref }) {
			continue
		}
		before, after := op.volumeIn(w, ref, c.Cavity, nil), op.volumeIn(w, ref, nil, w.Cells)
		allowed := 1e-9 * before
		if op.Freedom[c.A] == 1 {
			allowed += op.Hausdorff * op.surfaceAround(w, c)
		}
		if !(math.Abs(after-before) <= allowed) {
			return op.Freedom[c.A] == 2 && op.fitsSurface(c, w.Cells)
		}
	}
	return true
}

// volumeIn adds the volumes of the cells of a material.
func (op collapses) volumeIn(w *Worker, ref int32, cavity []int32, cells []mutable.Cell) float64 {
	w.numbers = w.numbers[:0]
	for _, k := range cavity {
		if op.Cells[k].Ref == ref {
			w.numbers = append(w.numbers, op.VolumeOf(&op.Cells[k]))
		}
	}
	for i := range cells {
		if cells[i].Ref == ref {
			w.numbers = append(w.numbers, op.VolumeOf(&cells[i]))
		}
	}
	return sumInOrder(w.numbers)
}

// surfaceAround is a third of the area of the tagged faces at the removed vertex of a collapse.
func (op collapses) surfaceAround(w *Worker, c *Candidate) float64 {
	w.numbers = w.numbers[:0]
	for _, k := range c.Cavity {
		old := &op.Cells[k]
		for i := range old.V {
			if old.Tag[i] == 0 || old.V[i] == c.A {
				continue
			}
			n := op.faceNormal(old, i)
			w.numbers = append(w.numbers, math.Sqrt(measure.Dot(&n, &n))/6)
		}
	}
	return sumInOrder(w.numbers)
}

// sumInOrder adds numbers in ascending order, so that the sum does not depend on the order in which they are given.
func sumInOrder(numbers []float64) (sum float64) {
	slices.Sort(numbers)
	for _, x := range numbers {
		sum += x
	}
	return sum
}
