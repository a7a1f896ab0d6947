package mesh

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Quality measures the shape of a triangle: 12√3 times its area divided by the square of its perimeter, which is 1 for
// an equilateral, 0 for a flat, and negative for an inverted triangle. It does not depend on the size. It is the shape
// factor of the measure of Y. Vasilevskii and K. Lipnikov, "An adaptive algorithm for quasioptimal mesh generation"
// (1999).
func (m *Mesh) Quality(cell int) float64 {
	perimeter := 0.0
	v := m.Cells[cell]
	for k, a := range v {
		b := v[(k+1)%3]
		perimeter += math.Hypot(m.X[b]-m.X[a], m.Y[b]-m.Y[a])
	}
	if perimeter == 0 {
		return 0
	}
	return 12 * math.Sqrt(3) * m.Area(cell) / (perimeter * perimeter)
}

// Quality measures the shape of a tetrahedron: 1296√2 times its volume divided by the cube of the sum of its edges,
// which is 1 for a regular, 0 for a flat, and negative for an inverted tetrahedron.
func (s *Solid) Quality(cell int) float64 {
	edges := 0.0
	v := s.Cells[cell]
	for i, a := range v {
		for _, b := range v[i+1:] {
			d := vector.Minus(s.At(b), s.At(a))
			edges += math.Sqrt(vector.Dot(d, d))
		}
	}
	if edges == 0 {
		return 0
	}
	return 1296 * math.Sqrt2 * s.Volume(cell) / (edges * edges * edges)
}
