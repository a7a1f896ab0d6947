package sliced

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/lattice"
)

// Rectangle is the generated mesh of mesh.Rectangle, of which each reader makes slices.
type Rectangle struct{ lattice.Lattice }

// Content returns the groups of the sides.
func (r *Rectangle) Content() ([]mesh.Group, []Field) { return mesh.SideGroups(), nil }

// EachVertex calls f for the vertices lo … hi-1.
func (r *Rectangle) EachVertex(lo, hi int64, f func(label int64, at [3]float64)) error {
	for v := lo; v < hi; v++ {
		x, y := r.Vertex(v)
		f(v, [3]float64{x, y})
	}
	return nil
}

// EachCell calls f for the cells lo … hi-1.
func (r *Rectangle) EachCell(lo, hi int64, f func(corners [3]int64)) error {
	for c := lo; c < hi; c++ {
		v := r.Cell(c)
		f([3]int64{int64(v[0]), int64(v[1]), int64(v[2])})
	}
	return nil
}

// EachSide calls f for the tagged edges lo … hi-1.
func (r *Rectangle) EachSide(lo, hi int64, f func(a, b int64, groups []int32)) error {
	for k := lo; k < hi; k++ {
		a, b, group := r.Side(k)
		f(int64(a), int64(b), []int32{group})
	}
	return nil
}

// EachValue calls f for no values: the mesh has no fields.
func (r *Rectangle) EachValue(*Field, int64, int64, func(label int64, value float64)) error {
	return nil
}
