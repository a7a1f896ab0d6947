package levelset

import (
	"github.com/atoll-hpc/atoll/solvers/engine"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// TestReseeding proves that reseeding keeps escaped particles, leaves no cell with too many others, and removes those
// far from the interface.
func TestReseeding(t *testing.T) {
	g := cubeGrid(3, 20, 1)
	cfg := withParticles(4)
	cfg.Reseed = 1000 // has the arrays for it
	s := newSolver(t, cfg, g, enrightFlow(t, g), ball(.4, .4, .4, .2))
	w, h := s.swarm, g.Spacing(0)
	particles := slices.Clone(w.p[w.current].Data[:w.set.Count])
	for range 3 { // four times as many as there should be
		particles = append(particles, particles...)
	}
	escaped := kernels.Particle[float64]{X: 7.5, Y: 7.5, Z: 7.5, R: .1 * h} // from outside, in the middle of the ball
	far := kernels.Particle[float64]{X: 17, Y: 17, Z: 17, R: .5 * h}
	particles = append(particles, escaped, far)
	w.setParticles(t, particles...)
	s.play(t, func(p *engine.Program) { s.allLayers.refresh(p, now) })
	if err := w.reseed(); err != nil {
		t.Fatal(err)
	}
	type cellSide struct {
		cell [3]int
		in   bool
	}
	count, kept := map[cellSide]int{}, false
	for _, q := range w.p[w.current].Data[:w.set.Count] {
		kept = kept || q == escaped
		if q == far {
			t.Error("a particle far from the interface was kept")
		}
		if q != escaped {
			count[cellSide{[3]int{int(math.Floor(q.X)), int(math.Floor(q.Y)), int(math.Floor(q.Z))}, q.R < 0}]++
		}
	}
	if !kept {
		t.Error("an escaped particle was deleted")
	}
	for place, n := range count {
		if n > cfg.Particles {
			t.Fatalf("%d particles of a sign in cell %v", n, place)
		}
	}
	d, err := s.Diagnose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Deleted == 0 || d.Particles != int64(w.set.Count) {
		t.Errorf("%d deleted, %d of %d particles counted", d.Deleted, d.Particles, w.set.Count)
	}
	// Reseeding adds particles where there are none.
	w.set.Count = 0
	if err := w.reseed(); err != nil || w.set.Count == 0 {
		t.Errorf("%d particles seeded, error %v", w.set.Count, err)
	}
}

// TestSeedsDependOnNoRank proves that eight ranks seed the same particles as one: random numbers depend on the number
// of a particle in the whole grid.
func TestSeedsDependOnNoRank(t *testing.T) {
	g := cubeGrid(3, 24, 1)
	seeded := func(ranks int) []kernels.Migrant[float64] {
		var mu sync.Mutex
		var particles []kernels.Migrant[float64]
		var ready, done sync.WaitGroup
		ready.Add(ranks)
		for _, comm := range local.New(ranks) {
			done.Go(func() {
				s := newRankSolver(t, withParticles(3), g, enrightFlow(t, g), ball(.5, .5, .5, .25), comm)
				ready.Done()
				ready.Wait()
				mu.Lock()
				defer mu.Unlock()
				for i, q := range s.swarm.p[s.swarm.current].Data[:s.swarm.set.Count] {
					particles = append(particles, kernels.Migrant[float64]{P: q, ID: s.swarm.id[s.swarm.current].Data[i]})
				}
			})
		}
		done.Wait()
		slices.SortFunc(particles, func(a, b kernels.Migrant[float64]) int { return int(a.ID - b.ID) })
		return particles
	}
	one, eight := seeded(1), seeded(8)
	if len(one) == 0 || !slices.Equal(one, eight) {
		t.Errorf("%d particles on one rank and %d on eight are not the same", len(one), len(eight))
	}
	for i := range one[1:] {
		if one[i].ID == one[i+1].ID {
			t.Fatalf("two particles have the number %d", one[i].ID)
		}
	}
	h := g.Spacing(0)
	signs := [2]int{}
	for _, p := range one {
		x := [3]float64{(p.P.X + .5) * h, (p.P.Y + .5) * h, (p.P.Z + .5) * h}
		d := ball(.5, .5, .5, .25)(x[0], x[1], x[2])
		if d*p.P.R < 0 || math.Abs(d) > 3.5*h {
			t.Fatalf("a particle of radius %g is at the distance %g", p.P.R, d)
		}
		if p.P.R < 0 {
			signs[1]++
		} else {
			signs[0]++
		}
	}
	if r := float64(signs[0]) / float64(signs[1]); r < .8 || r > 1.25 {
		t.Errorf("%v particles outside and inside", signs)
	}
}

// TestSeedsOfStretchedCells proves that the interface has as many particles on both sides in stretched cells as in
// cubes, although attraction reaches only some cells: of cells that are 8 times as long as wide, too.
func TestSeedsOfStretchedCells(t *testing.T) {
	const perSign = 16
	perCell := func(stretch int) (outside, inside float64) {
		g := cubeGrid(2, 32, 1)
		g.N[1] *= stretch
		s := newSolver(t, withParticles(perSign), g, restFlow(g), ball(.5, .5, 0, .3))
		phi := func(i, j int) float64 {
			return math.Hypot((float64(i)+.5)*g.Spacing(0)-.5, (float64(j)+.5)*g.Spacing(1)-.5) - .3
		}
		cells := 0
		crossed := map[[2]int]bool{}
		for j := range g.N[1] - 1 {
			for i := range g.N[0] - 1 {
				corners := []float64{phi(i, j), phi(i+1, j), phi(i, j+1), phi(i+1, j+1)}
				if slices.Min(corners) < 0 && slices.Max(corners) > 0 {
					crossed[[2]int{i, j}] = true
					cells++
				}
			}
		}
		w := s.swarm
		for _, q := range w.p[w.current].Data[:w.set.Count] {
			switch {
			case !crossed[[2]int{int(math.Floor(q.X)), int(math.Floor(q.Y))}]:
			case q.R > 0:
				outside++
			default:
				inside++
			}
		}
		return outside / float64(cells), inside / float64(cells)
	}
	outside, inside := perCell(1)
	for _, stretch := range []int{2, 4, 8} {
		out, in := perCell(stretch)
		t.Logf("stretch %d: %.3g and %.3g, in squares %.3g and %.3g", stretch, out, in, outside, inside)
		if out < .9*outside || in < .9*inside {
			t.Errorf("stretch %d: %.3g particles outside and %.3g inside in a cell of the interface, in squares %.3g and %.3g",
				stretch, out, in, outside, inside)
		}
	}
}
