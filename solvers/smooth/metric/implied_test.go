package metric

import (
	"math"
	"testing"
)

// TestImplied proves that the implied sizes are near the lengths of edges, in the plane and in space, and follow
// them.
func TestImplied(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		m := box(dim, 8, 8, 0)
		for v := range m.X[0] {
			m.X[0][v] *= 1 + m.X[0][v]
		}
		f, err := Implied(m)
		if err != nil {
			t.Fatal(err)
		}
		shortest, longest := math.Inf(1), 0.0
		for _, e := range m.edges() {
			u := m.edgeVector(e[0], e[1])
			length := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
			shortest, longest = min(shortest, length), max(longest, length)
		}
		low, high := 0, 0
		for v := range f {
			if h := 1 / math.Sqrt(f[v][0]); !(h > shortest && h < 1.1*longest) {
				t.Errorf("%d dimensions, vertex %d: %v, edges of %g to %g", dim, v, f[v], shortest, longest)
			}
			if m.X[0][v] < m.X[0][low] {
				low = v
			}
			if m.X[0][v] > m.X[0][high] {
				high = v
			}
		}
		if !(f[high][0] < .8*f[low][0]) {
			t.Errorf("%d dimensions: %v where edges are long, %v where they are short", dim, f[high], f[low])
		}
	}
}

// The implied metric is isotropic where cells have no direction in common, and as stretched as the cells where they
// have one: to the same ratio, in the same direction.
func TestImpliedStretch(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		for _, stretch := range []float64{1, 1.1, 1.4, 12, 20, 100, 1000} {
			m := box(dim, 8, 8, 0)
			const cos, sin = .8, .6
			for v := range m.X[0] {
				x, y := m.X[0][v]*stretch, m.X[1][v]
				m.X[0][v], m.X[1][v] = cos*x-sin*y, sin*x+cos*y
			}
			f, err := Implied(m)
			if err != nil {
				t.Fatal(err)
			}
			for v := range f {
				s := f[v].Eigen(dim)
				ratio := math.Sqrt(s.Values[dim-1] / s.Values[0])
				along := math.Abs(cos*s.Vectors[0][0] + sin*s.Vectors[0][1]) // of the longest size
				switch {
				case stretch < 2 && ratio > 1+1e-12, stretch > 4 && (ratio < .6*stretch || ratio > 2.1*stretch || along < .98):
					t.Fatalf("%d dimensions, stretch %g, vertex %d: ratio %g, %g along", dim, stretch, v, ratio, along)
				}
			}
		}
	}
}
