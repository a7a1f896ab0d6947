package mesh

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Quality measures the shape of a triangle, whatever its size: 4√3 times the area divided by the sum of the squares of
// the sides, which is 1 for an equilateral, 0 for a flat, and negative for an inverted triangle. It is the inverse of
// the condition number, by Frobenius norms, of the linear map from an equilateral triangle: Gmsh's minSICN.
func (m *Mesh) Quality(cell int) float64 {
	squares := 0.0
	v := m.Cells[cell]
	for k, a := range v {
		b := v[(k+1)%3]
		x, y := m.X[b]-m.X[a], m.Y[b]-m.Y[a]
		squares += x*x + y*y
	}
	if squares == 0 {
		return 0
	}
	return 4 * math.Sqrt(3) * m.Area(cell) / squares
}

// Quality measures the shape of a tetrahedron in the same way: 18 times the volume divided by the square root of the
// product of two sums, of the squares of the edges and of the areas of the faces.
func (s *Solid) Quality(cell int) float64 {
	edges, faces := 0.0, 0.0
	v := s.Cells[cell]
	for i, a := range v {
		for _, b := range v[i+1:] {
			d := vector.Minus(s.At(b), s.At(a))
			edges += vector.Dot(d, d)
		}
		b, c, d := v[(i+1)%4], v[(i+2)%4], v[(i+3)%4]
		n := vector.Cross(vector.Minus(s.At(c), s.At(b)), vector.Minus(s.At(d), s.At(b)))
		faces += vector.Dot(n, n) / 4
	}
	if edges == 0 || faces == 0 {
		return 0
	}
	return 18 * s.Volume(cell) / (math.Sqrt(edges) * math.Sqrt(faces))
}
