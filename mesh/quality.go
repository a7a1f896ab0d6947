package mesh

import "math"

// Quality is how well shaped a triangle is: 12√3 times its area over the square of its perimeter, which is 1 for the
// equilateral one, 0 for a flat one, and negative for an inverted one. Size does not matter. It is the
// shape's part of the measure of Y. Vasilevskii and K. Lipnikov, "An adaptive algorithm for quasioptimal mesh
// generation" (1999).
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

// Quality is how well shaped a tetrahedron is: 1296√2 times its volume over the cube of the sum of its edges, which
// is 1 for the regular one, 0 for a flat one, and negative for an inverted one.
func (s *Solid) Quality(cell int) float64 {
	edges := 0.0
	v := s.Cells[cell]
	for i, a := range v {
		for _, b := range v[i+1:] {
			d := minus(s.At(b), s.At(a))
			edges += math.Sqrt(dot(d, d))
		}
	}
	if edges == 0 {
		return 0
	}
	return 1296 * math.Sqrt2 * s.Volume(cell) / (edges * edges * edges)
}
