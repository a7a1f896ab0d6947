package levelset

import (
	"math"
	"slices"
	"testing"
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
		field, err := s.SurfaceField(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		numbers, err := field.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		surface := s.SurfaceOf(numbers)
		enclosed := 0.0
		point := func(i int32) []float64 { return surface.Points[3*i : 3*i+3] }
		for f := range slices.Chunk(surface.Simplices, 3) {
			a, b, e := point(f[0]), point(f[1]), point(f[2])
			enclosed += (a[0]*(b[1]*e[2]-b[2]*e[1]) + a[1]*(b[2]*e[0]-b[0]*e[2]) + a[2]*(b[0]*e[1]-b[1]*e[0])) / 6
		}
		if math.Abs(d.Volume/c.exact-1) > c.bound || math.Abs(d.Volume/enclosed-1) > c.bound {
			t.Errorf("%s: volume %g by samples, %g by the surface, want %g", c.name, d.Volume, enclosed, c.exact)
		}
	}
}
