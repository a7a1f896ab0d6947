package mutable

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Input is a mesh of triangles or tetrahedra as the classification needs it.
type Input struct {
	Dim    int
	X      []measure.Vector
	ID     []int64    // global ids; nil if they are the indices
	Cells  [][4]int32 // positively oriented
	Ref    []int32    // material of each cell
	Across [][4]int32 // cell across the facet opposite to each vertex, -1 for none

	Facets  []Marked // facets in groups, required ones and ridges, each once for every reason
	Lines   []Marked // in space: edges in groups, required ones and ridges
	Corners []int32  // vertices that stay
}

// Marked is a facet or an edge of which the input says something.
type Marked struct {
	V        [3]int32 // its vertices; an edge has two, then -1
	Group    int32    // none if it has no group
	ridge    bool
	Required bool
}

const None = int32(-1 << 31)

// FromTriangles converts a mesh of triangles.
func FromTriangles(m *mesh.Mesh) (*Input, error) {
	nb, err := m.CheckedNeighbours()
	if err != nil {
		return nil, err
	}
	in := &Input{Dim: 2, Ref: m.CellGroup}
	for v := range m.X {
		in.X = append(in.X, measure.Vector{m.X[v], m.Y[v]})
	}
	for c, v := range m.Cells {
		in.Cells = append(in.Cells, [4]int32{v[0], v[1], v[2], -1})
		in.Across = append(in.Across, [4]int32{nb[c][1], nb[c][2], nb[c][0], -1})
	}
	for _, e := range m.Tagged {
		in.Facets = append(in.Facets, Marked{V: [3]int32{e.A, e.B, -1}, Group: e.Group})
	}
	if k := m.Marks; k != nil {
		for _, e := range k.Ridges {
			in.Facets = append(in.Facets, Marked{V: [3]int32{e.A, e.B, -1}, Group: None, ridge: true})
		}
		for _, e := range k.Edges {
			in.Facets = append(in.Facets, Marked{V: [3]int32{e.A, e.B, -1}, Group: None, Required: true})
		}
		for _, t := range k.Triangles {
			for i, v := range t.V {
				in.Facets = append(in.Facets, Marked{V: [3]int32{v, t.V[(i+1)%3], -1}, Group: None, Required: true})
			}
		}
	}
	in.hold(m.Marks)
	return in, in.complete()
}

// FromTetrahedra converts a mesh of tetrahedra.
func FromTetrahedra(s *mesh.Solid) (*Input, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	nb, err := s.Neighbours()
	if err != nil {
		return nil, err
	}
	in := &Input{Dim: 3, Cells: s.Cells, Ref: s.CellTag, Across: nb}
	for v := range s.X {
		in.X = append(in.X, s.At(int32(v)))
	}
	for _, f := range s.Faces {
		in.Facets = append(in.Facets, Marked{V: f.V, Group: f.Tag})
	}
	if k := s.Marks; k != nil {
		for _, t := range k.Triangles {
			in.Facets = append(in.Facets, Marked{V: t.V, Group: None, Required: true})
		}
		for _, e := range k.Lines {
			in.Lines = append(in.Lines, Marked{V: [3]int32{e.A, e.B, -1}, Group: e.Tag})
		}
		for _, e := range k.Ridges {
			in.Lines = append(in.Lines, Marked{V: [3]int32{e.A, e.B, -1}, Group: None, ridge: true})
		}
		for _, e := range k.Edges {
			in.Lines = append(in.Lines, Marked{V: [3]int32{e.A, e.B, -1}, Group: None, Required: true})
		}
	}
	in.hold(s.Marks)
	return in, in.complete()
}

// hold adds what stays as it is besides required entities: corners, required vertices, vertices in groups of points,
// and the facets of periodic sides and of cracks, whose two sides must remain alike.
func (in *Input) hold(k *mesh.Marks) {
	if k == nil {
		return
	}
	in.Corners = slices.Concat(k.Corners, k.Vertices, k.Cracked)
	for _, p := range k.Points {
		in.Corners = append(in.Corners, p.V)
	}
	paired := make([]bool, len(in.X))
	for _, v := range k.Cracked {
		paired[v] = true
	}
	for _, side := range k.Periodic {
		for _, p := range side.Pairs {
			paired[p[0]], paired[p[1]] = true, true
			in.Corners = append(in.Corners, p[0], p[1])
		}
	}
	for c := range in.Cells {
		for i := range in.Dim + 1 {
			f := in.Facet(c, i)
			all := in.Across[c][i] < 0
			for _, v := range f[:in.Dim] {
				all = all && paired[v]
			}
			if all {
				in.Facets = append(in.Facets, Marked{V: f, Group: None, Required: true})
			}
		}
	}
}

// complete fills what is missing, and checks ids.
func (in *Input) complete() error {
	if in.Ref == nil {
		in.Ref = make([]int32, len(in.Cells))
	}
	if len(in.X) == 0 || len(in.Cells) == 0 {
		return fmt.Errorf("the mesh has no cells")
	}
	return nil
}

// Facet returns the vertices of a facet in ascending order; in the plane the third is -1.
func (in *Input) Facet(c, opposite int) [3]int32 {
	f, n := [3]int32{-1, -1, -1}, 0
	for i, v := range in.Cells[c][:in.Dim+1] {
		if i != opposite {
			f[n] = v
			n++
		}
	}
	slices.Sort(f[:n])
	return f
}

// Diagonal is that of the box around a mesh.
func (in *Input) Diagonal() float64 {
	low, high := in.X[0], in.X[0]
	for _, x := range in.X {
		for k := range x {
			low[k], high[k] = min(low[k], x[k]), max(high[k], x[k])
		}
	}
	d := measure.Sub(&high, &low)
	return math.Sqrt(measure.Dot(&d, &d))
}
