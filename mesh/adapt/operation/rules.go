// Package operation has the changes of a few cells of which an adaptation consists: splits, collapses and swaps, which
// replace a cavity by other cells, and moves of vertices. What they would give depends on the cells around one vertex,
// their global ids and the metric alone.
package operation

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/surface"
)

// Kind is a kind of operation.
type Kind uint8

const (
	Split Kind = iota
	Collapse
	Swap
	Repair // collapses that remove bad cells, whatever the length of the edge
	Thin   // collapses where there are more vertices than the metric asks for, although no edge is short
	Smooth // moves
	Kinds  // their number
)

// Field is a metric: a symmetric positive definite tensor at each position, in which edges shall have length 1. It must
// be a pure function that goroutines may call concurrently.
type Field func(x measure.Vector) measure.Tensor

// swapBelow is, in space, the quality of the cavity from which nothing is swapped.
const swapBelow = 0.7

// removes reports whether an operation of a kind is the collapse of a vertex.
func (k Kind) removes() bool { return k == Collapse || k == Repair || k == Thin }

// Rules are a mesh, its metric, and what operations on it may do.
type Rules struct {
	*mutable.Mesh
	kernels.Rules
	Field Field
	Soft  float64          // square of the size that a stage adds to those of the field
	Skin  *surface.Surface // of the input in space; nil if it is flat
}

// Soften returns the metric of a stage: the size h of each direction becomes √(h² + Soft).
func (r *Rules) Soften(m *measure.Tensor) measure.Tensor {
	if r.Soft == 0 {
		return *m
	}
	i := measure.Inverse(r.Dim, m)
	i[0] += r.Soft
	i[2] += r.Soft
	if r.Dim == 3 {
		i[5] += r.Soft
	}
	return measure.Inverse(r.Dim, &i)
}

// Hash is a hash of a vertex and the round.
func (r *Rules) Hash(v int32) uint64 { return r.Rules.Hash(r.ID[v]) }

// Evaluate adds the candidates of a kind whose pivot is the given vertex to w.Found.
func (r *Rules) Evaluate(w *Worker, kind Kind, pivot int32) {
	if r.Dim == 2 {
		r.evaluateInPlane(w, kind, pivot)
		return
	}
	if kind.removes() {
		collapses{r}.evaluate(w, kind, pivot)
		return
	}
	ball := r.Ball(pivot)
	w.near = w.near[:0]
	for _, k := range ball {
		c := &r.Cells[k]
		if kind == Swap && c.Quality >= swapBelow {
			continue
		}
		for _, v := range c.V[:r.Dim+1] {
			if r.ID[v] > r.ID[pivot] && !slices.Contains(w.near, v) {
				w.near = append(w.near, v)
			}
		}
	}
	for _, v := range w.near {
		if kind == Split {
			splits{r}.evaluate(w, pivot, v)
		} else {
			swaps{r}.evaluateEdge(w, pivot, v)
		}
	}
	if kind == Swap {
		for _, k := range ball {
			if r.Cells[k].Quality < swapBelow {
				for i := range 4 {
					swaps{r}.evaluateFace(w, k, i, pivot)
				}
			}
		}
	}
}

// Build makes the cells that replace the cavity of a candidate that was found. born is the new vertex of a split.
func (r *Rules) Build(w *Worker, c *Candidate, born int32) {
	w.Cells = w.Cells[:0]
	ok := true
	switch {
	case r.Dim == 2:
		r.buildInPlane(w, c)
	case c.Kind == Split:
		ok = splits{r}.build(w, c, -1)
	case c.Kind == Swap:
		ok = swaps{r}.build(w, c, -1)
	default:
		ok = collapses{r}.build(w, c, -1)
	}
	if !ok {
		panic("mesh: a chosen operation cannot be applied")
	}
	for i := range w.Cells {
		for j, v := range w.Cells[i].V[:r.Dim+1] {
			if v == mutable.Unborn {
				w.Cells[i].V[j] = born
			}
		}
	}
	from := len(w.built)
	w.built = append(w.built, w.Cells...)
	c.Cells = w.built[from:len(w.built):len(w.built)]
}

// Move moves a vertex by a Newton step that reduces Σ 1/q over the cells around it (at last Σ q⁻⁴), with the metric
// frozen for the derivatives, if the sum falls by the relative amount Gain and the worst quality does not fall. The
// vertex stays on its line, or in the plane of its surface.
func (r *Rules) Move(w *Worker, v int32) bool {
	if r.Freedom[v] == 0 || r.KeepBoundary && r.Freedom[v] < uint8(r.Dim) {
		return false
	}
	if r.Dim == 2 {
		return r.moveInPlane(v)
	}
	return moves{r}.move(w, v)
}

// shell returns the cells around an edge, in memory that lasts for the round.
func (r *Rules) shell(w *Worker, a, b int32) []int32 {
	from := len(w.cavities)
	w.cavities = r.Mesh.Shell(a, b, w.cavities)
	return w.cavities[from:len(w.cavities):len(w.cavities)]
}

// finish completes a new cell, and reports whether its quality is above floor.
func (r *Rules) finish(n *mutable.Cell, born *kernels.Birth, floor float64) bool {
	r.Arrange(n)
	var x [4]*measure.Vector
	var m [4]*measure.Tensor
	if born == nil {
		x, m = r.Corners(n, nil, nil)
	} else {
		x, m = r.Corners(n, &born.X, &born.M)
	}
	n.Quality = measure.Quality(r.Dim, &x, &m)
	return n.Quality > floor
}

// replaced is the cell with vertex `to` instead of `from`.
func replaced(dim int, k *mutable.Cell, from, to int32) mutable.Cell {
	n := mutable.Cell{V: k.V, Tag: k.Tag, Ref: k.Ref}
	n.V[k.Find(dim, from)] = to
	return n
}

// leastOf is the worst quality of new cells.
func leastOf(cells []mutable.Cell) float64 {
	worst := 1.0
	for i := range cells {
		worst = min(worst, cells[i].Quality)
	}
	return worst
}

// faceNormal is a normal of the face of a cell opposite to vertex i, as long as twice its area.
func (r *Rules) faceNormal(c *mutable.Cell, i int) measure.Vector {
	f := &measure.Opposite[i]
	p, q := measure.Sub(&r.X[c.V[f[1]]], &r.X[c.V[f[0]]]), measure.Sub(&r.X[c.V[f[2]]], &r.X[c.V[f[0]]])
	return measure.Cross(&p, &q)
}

// fitsSurface reports whether new cells are as near to the surface of the input as allowed, or as those of the cavity
// of a candidate.
func (r *Rules) fitsSurface(c *Candidate, cells []mutable.Cell) bool {
	if r.Skin == nil {
		return false
	}
	after, aligned := mutable.Misfit(r.Mesh, r.Skin, cells, -1)
	if !aligned {
		return false
	}
	if after <= r.Hausdorff*r.Hausdorff {
		return true
	}
	before := 0.0
	for _, k := range c.Cavity {
		d, _ := mutable.Misfit(r.Mesh, r.Skin, r.Cells[k:k+1], -1)
		before = max(before, d)
	}
	return after <= before
}

// around copies the cells around a vertex.
func (r *Rules) around(w *Worker, v int32) []mutable.Cell {
	w.Cells = w.Cells[:0]
	for _, k := range r.Ball(v) {
		w.Cells = append(w.Cells, r.Cells[k])
	}
	return w.Cells
}
