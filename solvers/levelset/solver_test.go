package levelset

import (
	"context"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
	"math"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noParticles is a configuration without particles.
var noParticles = Config{Advect: "semi-lagrangian", Reinit: "sweep", Iterations: 5, Band: 7, CFL: 1, Escape: 1,
	Correct: "fused"}

// withParticles returns noParticles with a number of particles of each sign per cell.
func withParticles(particles int) Config {
	c := noParticles
	c.Particles = particles
	return c
}

// cubeGrid returns a grid of n cells along each of dim axes, whose sides have the length size.
func cubeGrid(dim, n int, size float64) *grid.Grid {
	g := &grid.Grid{Dim: dim, N: [3]int{n, n, 1}, Hi: [3]float64{size, size, 0}}
	if dim == 3 {
		g.N[2], g.Hi[2] = n, size
	}
	return g
}

// restFlow returns a flow at rest except at one distant face, which makes the step finite.
func restFlow(g *grid.Grid) flow.Flow {
	return flow.Flow{Face: func(axis, i, j, _ int) float64 {
		if axis == 0 && i == g.N[0] && j == 0 {
			return g.Spacing(0)
		}
		return 0
	}}
}

// newSolver sets up the solver of a body, whose level set is phi, on one rank.
func newSolver(t testing.TB, cfg Config, g *grid.Grid, v flow.Flow, phi func(x, y,
	z float64) float64) *solver[float64] {
	t.Helper()
	return newRankSolver(t, cfg, g, v, phi, local.New(1)[0])
}

func newRankSolver(t testing.TB, cfg Config, g *grid.Grid, v flow.Flow, phi func(x, y, z float64) float64,
	comm dist.Comm) *solver[float64] {
	t.Helper()
	b, err := domain.Cut(&config.Grid{Dim: g.Dim, Lo: g.Lo, Hi: g.Hi, Cells: g.N, Periodic: g.Periodic}, cfg.Ghosts(),
		comm.Rank(), comm.Size())
	if err != nil {
		t.Fatal(err)
	}
	start, err := Distance(t.Context(), b.Block, shape.Body{Phi: phi})
	if err != nil {
		t.Fatal(err)
	}
	dev := cpu.New(1)
	s, err := setUp[float64](t.Context(), solvers.Env{Comm: comm, Device: dev}, cfg,
		Setting{Block: b, Flow: v, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		dev.Close()
		_ = comm.Close()
	})
	return s
}

func advance(t testing.TB, s *solver[float64], until float64, steps int) {
	t.Helper()
	if _, err := s.Advance(t.Context(), until, 0, steps); err != nil {
		t.Fatal(err)
	}
}

// eachCell calls f for all cells of the block, with their index and centre.
func (s *solver[F]) eachCell(f func(index int, x, y, z float64)) {
	n, number := s.block.N, 0
	for index := range s.block.OwnedIndices() {
		x, y, z := s.block.Centre(number%n[0], number/n[0]%n[1], number/n[0]/n[1])
		f(index, x, y, z)
		number++
	}
}

func ball(x, y, z, r float64) func(px, py, pz float64) float64 { return shape.Ball(x, y, z, r).Phi }

// maxError returns the largest error of the level set where the exact distance is between two values.
func maxError(s *solver[float64], exact func(x, y, z float64) float64, from, to float64) (worst float64) {
	s.eachCell(func(c int, x, y, z float64) {
		if d := exact(x, y, z); d >= from && d <= to {
			worst = math.Max(worst, math.Abs(s.f[now].Data[c]-d))
		}
	})
	return worst
}

// play plays a program once.
func (s *solver[F]) play(t *testing.T, f func(p *engine.Program)) {
	t.Helper()
	if err := s.Do(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// Diagnose measures the present state.
func (s *solver[F]) Diagnose(ctx context.Context) (Diagnostics, error) {
	_, err := s.Measure(ctx)
	return s.measured, err
}

// correct corrects a level set by escaped particles.
func (s *solver[F]) correct(ctx context.Context, field int) error {
	if err := s.swarm.setBounds(field); err != nil {
		return err
	}
	return s.Do(ctx, func(p *engine.Program) { s.applyBounds(p, field) })
}

// particles returns the particles of the block that are not removed, and their numbers.
func (w *swarm[F]) particles() ([]kernels.Particle[F], []int64, error) {
	if err := w.quiesce(context.Background()); err != nil {
		return nil, nil, err
	}
	p, err := w.p[w.current].HostPart(w.set.Count)
	return p, w.keys, err
}
