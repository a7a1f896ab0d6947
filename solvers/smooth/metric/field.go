package metric

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Mesh is a mesh of triangles in the plane or of tetrahedra in space.
type Mesh struct {
	Dim   int
	X     [3][]float64 // coordinates of the vertices along each axis; the third is nil in the plane
	Cells []int32      // Dim+1 vertices per cell, oriented so that volumes are positive
}

// FromTriangles converts a mesh of triangles.
func FromTriangles(m *mesh.Mesh) *Mesh {
	out := &Mesh{Dim: 2, X: [3][]float64{m.X, m.Y, nil}, Cells: make([]int32, 0, 3*len(m.Cells))}
	for _, c := range m.Cells {
		out.Cells = append(out.Cells, c[:]...)
	}
	return out
}

// FromTetrahedra converts a mesh of tetrahedra.
func FromTetrahedra(s *mesh.Solid) *Mesh {
	out := &Mesh{Dim: 3, X: [3][]float64{s.X, s.Y, s.Z}, Cells: make([]int32, 0, 4*len(s.Cells))}
	for _, c := range s.Cells {
		out.Cells = append(out.Cells, c[:]...)
	}
	return out
}

// Vertices returns the number of vertices.
func (m *Mesh) Vertices() int { return len(m.X[0]) }

// cells returns the number of cells.
func (m *Mesh) cells() int { return len(m.Cells) / (m.Dim + 1) }

// cell returns the vertices of a cell.
func (m *Mesh) cell(c int) []int32 { return m.Cells[c*(m.Dim+1) : (c+1)*(m.Dim+1)] }

// edgeVector returns the vector from vertex a to vertex b.
func (m *Mesh) edgeVector(a, b int32) (u [3]float64) {
	for k := range m.Dim {
		u[k] = m.X[k][b] - m.X[k][a]
	}
	return u
}

func (m *Mesh) coordinates(v int) (p [3]float64) {
	for k := range m.Dim {
		p[k] = m.X[k][v]
	}
	return p
}

// Check refuses a mesh with inconsistent arrays, indices out of range, or cells whose volume is not positive.
func (m *Mesh) Check() error {
	if m.Dim != 2 && m.Dim != 3 || len(m.Cells)%(m.Dim+1) != 0 {
		return fmt.Errorf("a mesh of dimension %d whose cells have %d corners together: want dimension 2 or 3, and a "+
			"multiple of the corners of a cell", m.Dim, len(m.Cells))
	}
	for k := range m.Dim {
		if len(m.X[k]) != m.Vertices() {
			return fmt.Errorf("the mesh has %d first coordinates of vertices, but %d of axis %d", m.Vertices(), len(m.X[k]), k+1)
		}
	}
	for c := range m.cells() {
		for _, v := range m.cell(c) {
			if v < 0 || int(v) >= m.Vertices() {
				return fmt.Errorf("cell %d refers to vertex %d; the mesh has %d", c, v, m.Vertices())
			}
		}
		if volume, _ := m.volumeAndGradients(c); !(volume > 0) {
			return fmt.Errorf("cell %d at vertex %d is inverted or flat: its volume is %g", c, m.cell(c)[0], volume)
		}
	}
	return nil
}

// volumeAndGradients returns the volume of a cell, and the gradients of its barycentric coordinates.
func (m *Mesh) volumeAndGradients(c int) (volume float64, gradients [4][3]float64) {
	v := m.cell(c)
	a, b := m.edgeVector(v[0], v[1]), m.edgeVector(v[0], v[2])
	if m.Dim == 2 {
		volume = (a[0]*b[1] - a[1]*b[0]) / 2
		gradients[1] = [3]float64{b[1], -b[0], 0}
		gradients[2] = [3]float64{-a[1], a[0], 0}
	} else {
		d := m.edgeVector(v[0], v[3])
		gradients[1], gradients[2], gradients[3] = vector.Cross(b, d), vector.Cross(d, a), vector.Cross(a, b)
		volume = (a[0]*gradients[1][0] + a[1]*gradients[1][1] + a[2]*gradients[1][2]) / 6
	}
	det := 2 * volume
	if m.Dim == 3 {
		det = 6 * volume
	}
	for k := 1; k <= m.Dim; k++ {
		for i := range m.Dim {
			gradients[k][i] /= det
			gradients[0][i] -= gradients[k][i]
		}
	}
	return volume, gradients
}

// Volume returns the volume of a cell, or its area in the plane.
func (m *Mesh) Volume(c int) float64 {
	volume, _ := m.volumeAndGradients(c)
	return volume
}

// Field is a metric at each vertex of a mesh.
type Field []Tensor

// Sample evaluates a metric at the vertices.
func Sample(m *Mesh, at func(x, y, z float64) Tensor) (Field, error) {
	f := make(Field, m.Vertices())
	for v := range f {
		p := m.coordinates(v)
		f[v] = at(p[0], p[1], p[2])
	}
	return f, f.Check(m)
}

// FromSolution converts a Medit solution at the vertices of the mesh to a metric. The solution must have one field,
// of sizes or of symmetric tensors of the mesh's dimension.
func FromSolution(m *Mesh, s *medit.Solution) (Field, error) {
	switch {
	case s.Dim != m.Dim && (len(s.Fields) != 1 || s.Fields[0].Kind != medit.Scalar):
		return nil, fmt.Errorf("the solution is of dimension %d, and the mesh of %d", s.Dim, m.Dim)
	case s.Vertices != m.Vertices():
		return nil, fmt.Errorf("the solution has values for %d vertices, and the mesh has %d vertices", s.Vertices,
			m.Vertices())
	case len(s.Fields) != 1 || s.Fields[0].Kind == medit.Vector:
		return nil, fmt.Errorf("the solution has %d fields, the first of kind %d; a metric is one field, of sizes (1) or of "+
			"symmetric tensors (3)", len(s.Fields), s.Fields[0].Kind)
	}
	f := make(Field, m.Vertices())
	values := s.Fields[0].Values
	for v := range f {
		if s.Fields[0].Kind == medit.Scalar {
			if h := values[v]; !(h > 0) {
				return nil, fmt.Errorf("vertex %d (line %d of the values) has the size %g; sizes are positive", v, v+1, h)
			}
			f[v] = OfSize(m.Dim, values[v])
			continue
		}
		n := Components(m.Dim)
		copy(f[v][:n], values[v*n:])
	}
	return f, f.Check(m)
}

// Solution converts the field to a Medit solution.
func (f Field) Solution(dim int) *medit.Solution {
	n := Components(dim)
	values := make([]float64, 0, n*len(f))
	for v := range f {
		values = append(values, f[v][:n]...)
	}
	return &medit.Solution{Dim: dim, Vertices: len(f), Fields: []medit.SolutionField{{Kind: medit.Symmetric,
		Values: values}}}
}

// Check refuses a field with another number of vertices, or that is not finite and positive definite at a vertex.
func (f Field) Check(m *Mesh) error {
	if len(f) != m.Vertices() {
		return fmt.Errorf("a metric at %d vertices, for a mesh of %d", len(f), m.Vertices())
	}
	for v := range f {
		if err := f[v].Check(m.Dim); err != nil {
			return fmt.Errorf("vertex %d at %v: %w", v, m.coordinates(v), err)
		}
	}
	return nil
}

// Within limits the sizes at each vertex by bounds. It returns the number of vertices that it has changed.
func (f Field) Within(dim int, b Bounds) (int, error) {
	if err := b.Check(); err != nil {
		return 0, err
	}
	changed := 0
	for v := range f {
		within := f[v].Within(dim, b)
		if within != f[v] {
			changed++
		}
		f[v] = within
	}
	return changed, nil
}

// Intersect replaces f by the intersection of f and g at each vertex: no size is larger than in either.
func (f Field) Intersect(dim int, g Field) error {
	if len(f) != len(g) {
		return fmt.Errorf("metrics at %d and at %d vertices", len(f), len(g))
	}
	for v := range f {
		f[v] = Intersection(dim, f[v], g[v])
	}
	return nil
}
