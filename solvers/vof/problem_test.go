package vof

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// problem is a run of a solver in a test.
type problem struct {
	grid         *grid.Grid
	body         shape.Body
	flow         func(g *grid.Grid) (flow.Flow, error)
	cfg          Config
	precision    string
	parts        [3]int
	threads      int
	separate     bool // on devices with separate memory
	stepsPerCall int  // steps at a time
	levels       int  // of recursive division, 4 if 0
	halo         string
}

func namedFlow(name string, period float64) func(g *grid.Grid) (flow.Flow, error) {
	return func(g *grid.Grid) (flow.Flow, error) {
		return flow.Named(name, g, period)
	}
}

// plane and space are grids of the unit box with n cells along each axis.
func plane(n int) *grid.Grid {
	return &grid.Grid{Dim: 2, N: [3]int{n, n, 1}, Hi: [3]float64{1, 1, 0}}
}

func space(n int) *grid.Grid {
	return &grid.Grid{Dim: 3, N: [3]int{n, n, n}, Hi: [3]float64{1, 1, 1}}
}

func config(normal, advect string, cfl float64) Config {
	return Config{Normal: normal, Advect: advect, CFL: cfl}
}

// Solver is a solver that is tested, with short names for what tests do.
type Solver struct {
	*engine.Engine
	model
}

// model is a solver[F] for any F.
type model interface {
	values(ctx context.Context, names ...string) ([]float64, error)
	interfaceOf() interfaceOutput
	Schedule() (exchange, sweep string)
}

// interfaceOutput is a plic.Output[F] for any F.
type interfaceOutput interface {
	domain.Surfaced
	PlanesOf(ctx context.Context) (*plic.Planes, error)
}

func (s *solver[F]) interfaceOf() interfaceOutput { return s.output(nil) }

func (s Solver) Time() float64 { return s.Clock().Time }
func (s Solver) Steps() int    { return s.Clock().Steps }

func (s Solver) Advance(ctx context.Context, until float64, steps int) error {
	_, err := s.Engine.Advance(ctx, until, 0, steps)
	return err
}

func (s Solver) Step(ctx context.Context, until float64) error { return s.Advance(ctx, until, 1) }

func (s Solver) Diagnose(ctx context.Context) (Diagnostics, error) { return Diagnose(ctx, s.Engine) }

func (s Solver) Hash(ctx context.Context) (string, error) { return solvers.Hash(ctx, s.Env().Comm, s) }

// Observed returns the result of the earliest observation.
func (s Solver) Observed(to *dist.Joint) (dist.Result[Diagnostics], error) {
	result, err := s.Engine.Observed(ctx, to)
	return func(ctx context.Context) (Diagnostics, error) {
		_, err := result(ctx)
		return s.inner().measured, err
	}, err
}

// inner returns a solver in double precision.
func (s Solver) inner() *solver[float64] { return s.model.(*solver[float64]) }

// run sets up a solver on every rank and calls f with it.
func (p problem) run(f func(rank int, s Solver) error) error {
	return p.onDevice(func(rank int, s Solver, _ backend.Device) error { return f(rank, s) })
}

func (p problem) onDevice(f func(rank int, s Solver, dev backend.Device) error) error {
	for d := range p.parts {
		p.parts[d] = max(1, p.parts[d])
	}
	if p.precision == "" {
		p.precision = "float64"
	}
	v, err := p.flow(p.grid)
	if err != nil {
		return err
	}
	comms := local.New(p.parts[0] * p.parts[1] * p.parts[2])
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for r := range comms {
		wg.Go(func() {
			var s Solver
			dev, err := p.device(comms[r])
			if err == nil {
				defer dev.Close()
				s, err = p.solver(v, comms[r], dev)
			}
			if err == nil {
				defer s.Close()
				err = f(r, s, dev)
			}
			if err != nil {
				comms[r].Abort(1, err)
			}
			errs[r] = errors.Join(err, comms[r].Close())
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (p problem) device(comm dist.Comm) (backend.Device, error) {
	dev := cpu.New(max(1, p.threads))
	if !p.separate {
		return dev, nil
	}
	gpu := halotest.NewLinkedRecorder(dev, 1<<27, comm)
	return gpu, gpu.Guard()
}

// solver sets up the solver of a rank.
func (p problem) solver(v flow.Flow, comm dist.Comm, dev backend.Device) (Solver, error) {
	lo, n := partition.Box(p.grid.N, p.parts, comm.Rank())
	ghost := p.cfg.Ghosts(p.grid.Dim)
	b, err := p.grid.Block(lo, n, ghost)
	if err != nil {
		return Solver{}, err
	}
	boxes := halo.Boxes{Dim: p.grid.Dim, Cuts: partition.BoxCuts(p.grid.N, p.parts), Periodic: p.grid.Periodic}
	plan, err := halo.NewBoxPlan(boxes, comm.Rank(), ghost, [3]int{ghost, ghost, ghost}, halo.AxisByAxis)
	if err != nil {
		return Solver{}, err
	}
	f, err := shape.Fill(ctx, b, p.body, cmp.Or(p.levels, 4), true)
	if err != nil {
		return Solver{}, err
	}
	e, err := New(ctx, solvers.Env{Comm: comm, Device: dev, Halo: p.halo}, p.precision, p.cfg,
		Setting{Block: &domain.Block{Block: b, Boxes: boxes, Plan: plan}, Flow: v, Start: f})
	if err != nil {
		return Solver{}, err
	}
	return Solver{e, e.Model().(model)}, nil
}

// runUntil takes steps to time t and returns diagnostics and hash.
func (p problem) runUntil(t float64) (d Diagnostics, hash string, err error) {
	err = p.run(func(rank int, s Solver) error {
		for s.Time() < t {
			if err := s.Advance(ctx, t, max(1, p.stepsPerCall)); err != nil {
				return err
			}
		}
		measured, err := s.Diagnose(ctx)
		if err != nil {
			return err
		}
		h, err := s.Hash(ctx)
		if rank == 0 {
			d, hash = measured, h
		}
		return err
	})
	return d, hash, err
}
