package levelset

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// enrightFlow returns the flow of Enright's ball.
func enrightFlow(t testing.TB, g *grid.Grid) flow.Flow {
	v, err := flow.Named("enright", g, 3)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// setParticles replaces the particles.
func (w *swarm[F]) setParticles(t *testing.T, particles ...kernels.Particle[F]) {
	t.Helper()
	if err := w.set.Reserve(len(particles)); err != nil {
		t.Fatal(err)
	}
	if err := w.set.Resize(copy(w.p[w.current].Data, particles)); err != nil {
		t.Fatal(err)
	}
	w.seeded = int64(w.set.Count)
	for i := range particles {
		w.id[w.current].Data[i] = int64(i)
	}
}

// TestCorrectionsHaveNoOrder proves that all particles are compared with the uncorrected level set: corrections do
// not depend on the order of particles.
func TestCorrectionsHaveNoOrder(t *testing.T) {
	g := cubeGrid(3, 16, 16)
	phi := func(x, y, z float64) float64 { return x - 8.3 }
	cfg := withParticles(1)
	s := newSolver(t, cfg, g, restFlow(g), phi)
	rng := rand.New(rand.NewPCG(1, 2))
	var particles []kernels.Particle[float64]
	for range 400 {
		particles = append(particles, kernels.Particle[float64]{X: 5 + 6*rng.Float64(), Y: 3 + 9*rng.Float64(), Z: 3 +
			9*rng.Float64(),
			R: (rng.Float64() - .5)})
	}
	particles = append(particles, kernels.Particle[float64]{X: 7, Y: 7, Z: 7, R: 1},
		// at a corner, and its sphere through others
		kernels.Particle[float64]{X: 7, Y: 7, Z: 7, R: .5}, kernels.Particle[float64]{X: 9, Y: 9, Z: 9, R: -1})
	start := slices.Clone(s.f[now].Data)
	var want []float64
	for repetition := range 6 {
		copy(s.f[now].Data, start)
		s.cfg.Correct = Corrections[repetition%2]
		s.swarm.setParticles(t, particles...)
		if err := s.correct(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		for _, v := range s.f[now].Data {
			if v == 0 && math.Signbit(v) {
				t.Fatal("-0 comes out of a correction")
			}
		}
		if want == nil {
			want = slices.Clone(s.f[now].Data)
		}
		if !slices.Equal(want, s.f[now].Data) {
			t.Errorf("repetition %d, %s: the corrected level set differs", repetition, s.cfg.Correct)
		}
		rng.Shuffle(len(particles), func(i, j int) { particles[i], particles[j] = particles[j], particles[i] })
	}
	if slices.Equal(want, start) {
		t.Error("nothing was corrected")
	}
	// With the correction by the first particle, the corner at (7, 7, 7) is outside, where the second one has not
	// escaped. It must count all the same, since it has escaped from the uncorrected level set.
	copy(s.f[now].Data, start)
	s.swarm.setParticles(t, kernels.Particle[float64]{X: 7, Y: 7, Z: 7, R: .4},
		kernels.Particle[float64]{X: 7.1, Y: 7, Z: 7, R: .5})
	if err := s.correct(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if got := s.f[now].Data[s.block.Index(7, 7, 7)]; math.Abs(got-.4) > 1e-12 {
		t.Errorf("the level set at the corner is %g, want 0.4", got)
	}
}

// TestRadiiAreThoseOfTheEnd proves that radii are updated from the level set at the end of a step, not from one
// before reinitialisation or correction.
func TestRadiiAreThoseOfTheEnd(t *testing.T) {
	g := cubeGrid(3, 24, 1)
	s := newSolver(t, withParticles(4), g, enrightFlow(t, g), ball(.35, .35, .35, .15))
	advance(t, s, 3, 5)
	h := g.Spacing(0)
	correction := s.correction(now)
	for _, q := range s.swarm.p[s.swarm.current].Data[:s.swarm.set.Count] {
		want := []kernels.Particle[float64]{q}
		kernels.NewUpdateRadiusLoop(correction, .1*h, .5*h, want).Range(0, 1)
		if want[0].R != q.R || math.Abs(q.R) < .1*h || math.Abs(q.R) > .5*h {
			t.Fatalf("radius %g, the level set makes it %g", q.R, want[0].R)
		}
	}
}

// TestOwnersAreHalfOpen proves that a particle on a face between blocks, at a periodic boundary or at a corner has
// exactly one owner, and that particles beyond walls have none.
func TestOwnersAreHalfOpen(t *testing.T) {
	for _, periodic := range []bool{false, true} {
		n := int32(12)
		var domains []kernels.Domain
		for part := range int32(8) {
			d := kernels.Domain{Cells: [3]int32{n, n, n}, Periodic: [3]bool{periodic, periodic, periodic}, Dim: 3}
			for a := range 3 {
				half := part >> a & 1
				d.Lo[a], d.Hi[a] = 5*half, 5+7*half
				if half == 0 && !periodic {
					d.Lo[a] = -1
				}
			}
			domains = append(domains, d)
		}
		nowhere := &kernels.Routes{}
		positions := []float64{-.5, -1e-17, 0, 4.999999, 5, 5.25, 11, 11.4999, 11.5, 11.9999999, 12}
		for _, x := range positions {
			for _, y := range positions {
				for _, z := range positions {
					stays, leaves, removed := 0, 0, kernels.Removed{}
					for _, d := range domains {
						p := []kernels.Particle[float64]{{X: x, Y: y, Z: z, R: 1}}
						mark := make([]uint8, 1)
						kernels.NewClassifyParticleLoop(&d, nowhere, &removed, p, mark).Range(0, 1)
						if mark[0] != 0 {
							leaves++
						} else if p[0].R != 0 {
							stays++
						}
					}
					inside := periodic || max(x, y, z) < 11.5
					if inside && (stays != 1 || leaves != 7 || removed.Left != 0) || !inside && (stays != 0 || removed.Left != 8) {
						t.Errorf("periodic %t, (%v, %v, %v): %d owners, %d others, left %d", periodic, x, y, z, stays, leaves,
							removed.Left)
					}
				}
			}
		}
	}
}

// TestThroughTheCorner proves that a particle that crosses a corner and a periodic boundary to the diagonal block is
// the same there.
func TestThroughTheCorner(t *testing.T) {
	g := cubeGrid(3, 16, 16)
	g.Periodic = [3]bool{true, true, true}
	v := flow.Uniform(1, 1, 1)
	ends := map[int][]kernels.Particle[float64]{}
	for _, ranks := range []int{1, 8} {
		var mu sync.Mutex
		var ready, done sync.WaitGroup
		ready.Add(ranks)
		for _, comm := range local.New(ranks) {
			done.Go(func() {
				cfg := withParticles(1)
				cfg.Reinit = "none"
				s := newRankSolver(t, cfg, g, v, func(x, y, z float64) float64 { return x - 40 }, comm)
				if comm.Rank() == ranks-1 {
					s.swarm.setParticles(t, kernels.Particle[float64]{X: 15.25, Y: 15.25, Z: 15.25, R: .5},
						kernels.Particle[float64]{X: 14, Y: 14, Z: 14, R: -.5})
				}
				for range 3 { // by one cell each, exactly
					if _, err := s.Advance(t.Context(), s.Clock().Time+1, 0, 1); err != nil {
						t.Error(err)
					}
				}
				ready.Done()
				ready.Wait()
				mu.Lock()
				defer mu.Unlock()
				p, _, err := s.swarm.particles()
				if err != nil {
					t.Error(err)
				}
				ends[ranks] = append(ends[ranks], p...)
			})
		}
		done.Wait()
		slices.SortFunc(ends[ranks], func(a, b kernels.Particle[float64]) int { return int(100 * (a.X - b.X)) })
	}
	if !slices.Equal(ends[1], ends[8]) || len(ends[1]) != 2 || ends[1][1].X != 2.25 || ends[1][0].Z != 1 {
		t.Errorf("on one rank %v, on eight %v", ends[1], ends[8])
	}
}

// TestParticlesAreCounted proves that lost, duplicated and misplaced particles are an error.
func TestParticlesAreCounted(t *testing.T) {
	g := cubeGrid(3, 20, 1)
	for message, spoil := range map[string]func(w *swarm[float64]){
		"of 1000 seeded particles 999 are present, have left or were removed, and 0": func(w *swarm[float64]) {
			w.set.Count--
		},
		"of 1000 seeded particles 1000 are present, have left or were removed, and 1": func(w *swarm[float64]) {
			w.p[w.current].Data[3].X = 20.5
		},
	} {
		s := newSolver(t, withParticles(4), g, enrightFlow(t, g), ball(.4, .4, .4, .2))
		s.swarm.setParticles(t, s.swarm.p[s.swarm.current].Data[:1000]...)
		if _, err := s.Diagnose(t.Context()); err != nil {
			t.Fatal(err)
		}
		spoil(s.swarm)
		if _, err := s.Diagnose(t.Context()); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("error %v", err)
		}
	}
}

// TestTooLongSteps proves that CFL numbers too large for the ghosts are refused.
func TestTooLongSteps(t *testing.T) {
	cfg := noParticles
	cfg.CFL = 5.1
	if err := cfg.Check(3); err == nil || !strings.Contains(err.Error(), "cfl = 5.1: semi-lagrangian takes") {
		t.Errorf("error %v", err)
	}
	for _, cfl := range []float64{.3, 1, 1.5, 2, 3.2, 4.9} {
		cfg.CFL = cfl
		if n := cfg.Ghosts(); float64(n) < math.Ceil(cfl)+1 || n < wenoGhosts || float64(n) < math.Ceil(cfl/2)+2 {
			t.Errorf("cfl = %g: %d ghosts", cfl, n)
		}
	}
}

// TestNothingStaleBesideTheBand proves that the level set far from the interface is the constant at the edge of the
// band, also after the interface has crossed the whole periodic grid, and that the volume is kept.
func TestNothingStaleBesideTheBand(t *testing.T) {
	for _, cfl := range []float64{1, 4.9} {
		g := cubeGrid(2, 48, 48)
		g.Periodic = [3]bool{true, true}
		cfg := noParticles
		cfg.CFL = cfl
		s := newSolver(t, cfg, g, flow.Uniform(1, .5, 0), ball(24, 24, 0, 9))
		advance(t, s, 96, 1000)
		d, err := s.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(d.VolumeLoss) > .2 {
			t.Errorf("cfl %g: the loss is %g", cfl, d.VolumeLoss)
		}
		s.eachCell(func(c int, x, y, z float64) {
			if exact := ball(24, 24, 0, 9)(x, y, z); exact > 11 && s.f[now].Data[c] != 7 {
				t.Fatalf("cfl %g: %g at the distance %g", cfl, s.f[now].Data[c], exact)
			}
		})
	}
}
