package mesh

import (
	"math"
	"testing"
)

// Equilateral triangles and regular tetrahedra of any size have quality 1, inverted ones -1, flat ones 0. The corner of
// a square and that of a cube have the values that Gmsh gives for minSICN.
func TestQuality(t *testing.T) {
	h := math.Sqrt(3) / 2
	m := &Mesh{X: []float64{0, 2, 1, 4, 0, 0}, Y: []float64{0, 0, 2 * h, 0, 0, 2},
		Cells: [][3]int32{{0, 1, 2}, {0, 2, 1}, {0, 1, 3}, {0, 0, 4}, {0, 1, 5}}}
	for c, want := range []float64{1, -1, 0, 0, h} {
		if got := m.Quality(c); math.Abs(got-want) > 1e-14 {
			t.Errorf("triangle %d: quality %g, want %g", c, got, want)
		}
	}
	s := &Solid{X: []float64{1, 1, -1, -1, 0, 1, 0, 0}, Y: []float64{1, -1, 1, -1, 0, 0, 1, 0},
		Z: []float64{1, -1, -1, 1, 0, 0, 0, 1}, Cells: [][4]int32{{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 1, 2}, {4, 5, 6, 7}}}
	if s.Volume(0) < 0 {
		s.Cells[0], s.Cells[1] = s.Cells[1], s.Cells[0]
	}
	for c, want := range []float64{1, -1, 0, math.Sqrt(2. / 3)} {
		if got := s.Quality(c); math.Abs(got-want) > 1e-14 {
			t.Errorf("tetrahedron %d: quality %g, want %g", c, got, want)
		}
	}
}
