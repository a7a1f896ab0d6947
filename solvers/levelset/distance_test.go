package levelset

import (
	"github.com/atoll-hpc/atoll/solvers/engine"
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// serialSweeping is the fast sweeping method of Zhao: Gauss–Seidel iterations in alternating orders until nothing
// changes. It starts from the values that InitDistances has set next to the interface, and keeps these.
func serialSweeping(s *solver[float64], f []float64) {
	n, g := s.block.N, s.block.Grid
	h := [3]float64{g.Spacing(0), g.Spacing(1), g.Spacing(2)}
	start := slices.Clone(f)
	stride := [3]int{1, s.lattice.SY, s.lattice.SZ}
	for changed := true; changed; {
		changed = false
		for order := range 1 << g.Dim {
			for number := range n[0] * n[1] * n[2] {
				cell := [3]int{number % n[0], number / n[0] % n[1], number / n[0] / n[1]}
				for d := range g.Dim {
					if order>>d&1 == 1 {
						cell[d] = n[d] - 1 - cell[d]
					}
				}
				c := s.block.Index(cell[0], cell[1], cell[2])
				if math.Abs(start[c]) < s.cfg.Band*h[0] {
					continue
				}
				a := []float64{}
				for d := range g.Dim {
					a = append(a, math.Min(math.Abs(f[c-stride[d]]), math.Abs(f[c+stride[d]])))
				}
				if u := eikonal(a, h[0]); u < math.Abs(f[c])-1e-14 {
					f[c] = math.Copysign(u, f[c])
					changed = true
				}
			}
		}
	}
}

// eikonal solves Σ max(u-a, 0)² = h², by Zhao's formulas.
func eikonal(a []float64, h float64) float64 {
	slices.Sort(a)
	u := a[0] + h
	if u > a[1] {
		u = (a[0] + a[1] + math.Sqrt(2*h*h-(a[0]-a[1])*(a[0]-a[1]))) / 2
	}
	if len(a) == 3 && u > a[2] {
		sum, squares := a[0]+a[1]+a[2], a[0]*a[0]+a[1]*a[1]+a[2]*a[2]
		u = (sum + math.Sqrt(sum*sum-3*(squares-h*h))) / 3
	}
	return u
}

// TestSweepsConvergeToSerialOnes proves that the parallel sweeps converge to the result of serial fast sweeping.
func TestSweepsConvergeToSerialOnes(t *testing.T) {
	for _, dim := range []int{2, 3} {
		g := cubeGrid(dim, 28, 1)
		for name, phi := range map[string]func(x, y, z float64) float64{
			"ball": ball(.5, .45, .5*float64(dim-2), .25),
			"cross": func(x, y, z float64) float64 {
				return math.Min(math.Max(math.Abs(x-.5)-.3, math.Abs(y-.5)-.02), math.Max(math.Abs(y-.5)-.3, math.Abs(x-.5)-.02))
			},
			"plane": func(x, y, z float64) float64 { return (x + 2*y + 2*z - 1.6) / 3 },
		} {
			s := newSolver(t, noParticles, g, restFlow(g), phi)
			copy(s.f[next].Data, s.f[now].Data)
			s.play(t, func(p *engine.Program) { p.Run(s.initDistances(false)) })
			want := slices.Clone(s.f[now].Data)
			s.play(t, func(p *engine.Program) { p.Run(s.oneLayer.walls[now]) })
			s.play(t, s.sweep)
			own := slices.Collect(s.block.OwnedIndices())
			for c := range want { // serial sweeps do not look beyond walls
				if _, inside := slices.BinarySearch(own, c); !inside {
					want[c] = math.Copysign(1, want[c])
				}
			}
			serialSweeping(s, want)
			s.eachCell(func(c int, x, y, z float64) {
				if math.Abs(s.f[now].Data[c]-want[c]) > 1e-5*g.Spacing(0) {
					t.Fatalf("%dD %s at (%g, %g, %g): %v, serial %v", dim, name, x, y, z, s.f[now].Data[c], want[c])
				}
			})
		}
	}
}

// TestDistances proves that both kinds of reinitialisation recover the distance from a ball from a level set with
// slopes far from 1, also in the inner half of the band and not only at the interface.
func TestDistances(t *testing.T) {
	for _, dim := range []int{2, 3} {
		g := cubeGrid(dim, 40, 1)
		exact := ball(.5, .5, .5*float64(dim-2), .3)
		for _, reinit := range []string{"sweep", "weno"} {
			cfg := noParticles
			cfg.Reinit, cfg.Iterations = reinit, 40
			s := newSolver(t, cfg, g, restFlow(g), exact)
			s.eachCell(func(c int, x, y, z float64) {
				v := exact(x, y, z) * (2.2 + math.Sin(9*x) + math.Cos(7*y))
				s.f[next].Data[c] = math.Max(-.17, math.Min(.17, v))
			})
			s.play(t, func(p *engine.Program) { p.Run(s.allLayers.walls[next]) })
			s.play(t, s.reinitialise)
			h, band := g.Spacing(0), cfg.Band*g.Spacing(0)
			bound := map[string]float64{"sweep": .35, "weno": .15}[reinit] * h
			if off := maxError(s, exact, -band/2, 0); !(off < bound) {
				t.Errorf("%dD %s: inside the distance is off by %g cells", dim, reinit, off/h)
			}
			if off := maxError(s, exact, 0, band/2); !(off < bound) {
				t.Errorf("%dD %s: outside the distance is off by %g cells", dim, reinit, off/h)
			}
		}
	}
}

// TestThinRodKeepsItsVolume proves that repeated reinitialisation keeps the volume of a rod thinner than two cells.
func TestThinRodKeepsItsVolume(t *testing.T) {
	g := cubeGrid(3, 32, 32)
	rod := func(x, y, z float64) float64 {
		return math.Max(math.Hypot(x-16.3, y-15.8)-1, math.Abs(z-16)-9)
	}
	for _, reinit := range []string{"sweep", "weno"} {
		cfg := noParticles
		cfg.Reinit = reinit
		s := newSolver(t, cfg, g, restFlow(g), rod)
		startVolume := s.startVolume
		for n := range 48 / cfg.Iterations {
			copy(s.f[next].Data, s.f[now].Data)
			s.play(t, s.reinitialise)
			s.play(t, func(p *engine.Program) { s.allLayers.refresh(p, now) })
			d, err := s.Diagnose(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if loss := math.Abs(1 - d.Volume/startVolume); loss > .05 {
				t.Fatalf("%s: after %d times the volume is %g of %g", reinit, n+1, d.Volume, startVolume)
			}
		}
	}
}

// TestScaleDoesNotMatter proves that results scale with the unit of length, bit for bit for powers of two.
func TestScaleDoesNotMatter(t *testing.T) {
	cfg := withParticles(4)
	cfg.Advect, cfg.Reinit, cfg.CFL = "weno", "weno", .5
	var first []float64
	for _, size := range []float64{1, 1024, 1. / 1024} {
		g := cubeGrid(2, 32, size)
		v := flow.Flow{Face: func(axis, i, j, _ int) float64 {
			return size * []float64{float64(j) - 15.5, 15.5 - float64(i)}[axis] / 32
		}}
		s := newSolver(t, cfg, g, v, ball(.4*size, .5*size, 0, .25*size))
		advance(t, s, 1, 6)
		var scaled []float64
		for c := range s.block.OwnedIndices() {
			scaled = append(scaled, s.f[now].Data[c]/size)
		}
		if first == nil {
			first = scaled
		}
		if !slices.Equal(first, scaled) {
			t.Errorf("size %g: the scaled level set differs", size)
		}
	}
}

// TestNotFinite proves that the error names the cell that is not finite.
func TestNotFinite(t *testing.T) {
	g := cubeGrid(2, 16, 1)
	s := newSolver(t, noParticles, g, restFlow(g), ball(.5, .5, 0, .2))
	s.f[now].Data[s.block.Index(3, 2, 0)] = math.NaN()
	_, err := s.Diagnose(t.Context())
	if err == nil || err.Error() != "rank 0: the level set of cell 35 is NaN in step 0" {
		t.Errorf("error %v", err)
	}
}

// TestStartIsADistance proves that initial values next to the interface are exact for distances, and approximate
// distances for expressions.
func TestStartIsADistance(t *testing.T) {
	g := cubeGrid(2, 32, 1)
	exact := ball(.45, .5, 0, .3)
	for name, phi := range map[string]func(x, y, z float64) float64{
		"distance":   exact,
		"expression": func(x, y, z float64) float64 { return 5 * ((x-.45)*(x-.45) + (y-.5)*(y-.5) - .09) },
	} {
		s := newSolver(t, noParticles, g, restFlow(g), phi)
		h := g.Spacing(0)
		bound := map[string]float64{"distance": 1e-4, "expression": .06}[name]
		if off := maxError(s, exact, -.7*h, .7*h); !(off < bound*h) {
			t.Errorf("%s: next to the interface off by %g cells", name, off/h)
		}
		if off := maxError(s, exact, -5*h, 5*h); !(off < .3*h) {
			t.Errorf("%s: off by %g cells in the band", name, off/h)
		}
	}
}

// TestLoneParticleMakesNoSphere proves that a lone particle that has escaped far beyond the band does not create a
// body: it bounds the level set at the corners of its dual cell, but reinitialisation must not change their sign.
// WENO overshoots beside a constant.
func TestLoneParticleMakesNoSphere(t *testing.T) {
	g := cubeGrid(3, 28, 28)
	for _, reinit := range []string{"sweep", "weno"} {
		cfg := withParticles(1)
		cfg.Reinit = reinit
		s := newSolver(t, cfg, g, flow.Uniform(0.3, 0.2, 0.1), func(x, y, z float64) float64 { return x - 60 })
		s.swarm.setParticles(t, kernels.Particle[float64]{X: 9.3, Y: 9.4, Z: 9.45, R: .5})
		for n := range 40 {
			if _, err := s.Advance(t.Context(), float64(n+1), 0, 1); err != nil {
				t.Fatal(err)
			}
			outside := 0
			for c := range s.block.OwnedIndices() {
				if s.f[now].Data[c] >= 0 {
					outside++
				}
			}
			if outside > 0 {
				t.Fatalf("%s: after %d steps %d cells are outside", reinit, n+1, outside)
			}
		}
	}
}
