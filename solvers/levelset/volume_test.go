package levelset

import (
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// TestVolumeBySamplesAndSurface proves that volumes from samples, from the surface and of the body agree, also for a
// shell thinner than a smeared Heaviside function, with which the volume would be wrong by a tenth and a torn shell
// would go unnoticed.
func TestVolumeBySamplesAndSurface(t *testing.T) {
	g := cubeGrid(3, 24, 24)
	for _, c := range []struct {
		name  string
		phi   func(x, y, z float64) float64
		exact float64
		bound float64
	}{
		{"ball", ball(12, 12, 12, 8), 4. / 3 * math.Pi * 512, .012},
		{"shell", func(x, y, z float64) float64 { return math.Abs(ball(12, 12, 12, 8)(x, y, z)) - .7 },
			4. / 3 * math.Pi * (math.Pow(8.7, 3) - math.Pow(7.3, 3)), .08},
	} {
		cfg := noParticles
		cfg.Reinit = "none"
		s := newSolver(t, cfg, g, restFlow(g), c.phi)
		d, err := s.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		surface := s.SurfaceOf(surfaceNumbers(t, s), false)
		enclosed := enclosedBy(surface)
		if math.Abs(d.Volume/c.exact-1) > c.bound || math.Abs(d.Volume/enclosed-1) > c.bound {
			t.Errorf("%s: volume %g by samples, %g by the surface, want %g", c.name, d.Volume, enclosed, c.exact)
		}
	}
}

// surfaceNumbers reads the numbers of which a solver makes its surface.
func surfaceNumbers(t *testing.T, s *solver[float64]) []float64 {
	t.Helper()
	field, err := s.SurfaceField(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := field.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

// enclosedBy returns the volume that a surface of triangles encloses.
func enclosedBy(s *contour.Surface) (sum float64) {
	point := func(i int32) []float64 { return s.Points[3*i : 3*i+3] }
	for f := range slices.Chunk(s.Simplices, 3) {
		a, b, e := point(f[0]), point(f[1]), point(f[2])
		sum += (a[0]*(b[1]*e[2]-b[2]*e[1]) + a[1]*(b[2]*e[0]-b[0]*e[2]) + a[2]*(b[0]*e[1]-b[1]*e[0])) / 6
	}
	return sum
}

// TestClosedSurfaces proves that the closed surface of a body that the sides of the grid cut encloses it.
func TestClosedSurfaces(t *testing.T) {
	g := cubeGrid(3, 24, 24)
	for _, at := range [][3]float64{{12, 12, 12}, {0, 12, 12}, {12, 24, 12}, {12, 12, 2}, {24, 24, 0}, {1, 12, 23}} {
		cfg := noParticles
		cfg.Reinit = "none"
		s := newSolver(t, cfg, g, restFlow(g), ball(at[0], at[1], at[2], 7))
		d, err := s.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := enclosedBy(s.SurfaceOf(surfaceNumbers(t, s), true)); math.Abs(got/d.Volume-1) > .03 {
			t.Errorf("ball at %v: the surface encloses %g, the volume is %g", at, got, d.Volume)
		}
	}
}
