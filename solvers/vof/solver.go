package vof

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Solver advances the volume fractions on one rank's block. All ranks make the same calls.
type Solver interface {
	// Step takes one of equal steps that lead to the time until, and returns its length in s.
	Step(ctx context.Context, until float64) (float64, error)
	// Advance takes at least one and at most so many of such steps. On a device it returns when they are queued.
	Advance(ctx context.Context, until float64, steps int) error
	// Pause lets Advance return after the first step that reaches a time; 0 for none.
	Pause(at float64)
	Time() float64
	Steps() int
	// Dt is the length of the last step in s, 0 before the first.
	Dt() float64
	// StepsTo is that of solvers.Stepper.
	StepsTo(until float64) (least, most float64)
	// Planes returns the lines or planes of the block's mixed cells.
	Planes(ctx context.Context) (*Planes, error)
	// Surface returns the interface of the block as a mesh without gaps.
	Surface(ctx context.Context) (*contour.Surface, error)
	// Field returns a quantity at every cell of the block, x fastest: f, or of mixed cells nx, ny, nz, alpha and
	// curvature, 0 in others. The fluid is where n·x ≤ alpha, n a unit normal in space and x from the lowest corner of the
	// cell on. The curvature is 1/r for a disk of fluid, 2/r for a ball, and NaN where too little of the interface is near
	// to tell.
	Field(ctx context.Context, name string) ([]float64, error)
	// Probe writes quantities of single cells to out, cell by cell: cells of the block by their number, x fastest. All
	// ranks ask for the same ones, each of its own cells.
	Probe(ctx context.Context, names []string, cells []int, out []float64) error
	// Diagnose measures the state as it is. Errors are against the start, or what Against was given last.
	Diagnose(ctx context.Context) (Diagnostics, error)
	Against(ctx context.Context, fractions []float64) error
	// Observe and Observed are those of solvers.Observer.
	Observe(ctx context.Context) error
	Observed(ctx context.Context) (Diagnostics, error)
	// View is that of the volume fractions of the block.
	View() solvers.View
	// State, Scalars and Restore are those of solvers.Restarter.
	State(ctx context.Context) ([]solvers.State, error)
	Scalars(ctx context.Context) (map[string]float64, error)
	Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error
	// Hash is that of the volume fractions: see solvers.Hash.
	Hash(ctx context.Context) (string, error)
	// Phases tells how many seconds this rank spent where.
	Phases() map[string]float64
	// Bytes is what the arrays take that the kernels work on.
	Bytes() int64
	// Halo tells how ghosts are exchanged: direct, staged or nccl.
	Halo() string
	// Ways tells how often that is, before each sweep, once a step or once in several steps, and how a step goes: by
	// cells, tiles or bricks.
	Ways() (exchange, sweep string)
	// Close gives back what the device holds.
	Close()
}

// New sets up the solver in the given precision, "float32" or "float64", from the volume fraction of each cell of the
// block, x fastest.
func New(ctx context.Context, precision string, cfg Config, b *grid.Block, plan *halo.BoxPlan, v flow.Flow,
	fractions []float64, comm dist.Comm, dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return sound(setUp[float32](ctx, cfg, b, plan, v, fractions, comm, dev))
	case "float64":
		return sound(setUp[float64](ctx, cfg, b, plan, v, fractions, comm, dev))
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

// sound makes a solver that could not be set up nil.
func sound[F num.Float](s *solver[F], err error) (Solver, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

type solver[F num.Float] struct {
	arrays[F]
	ways
	observer observer[F]
	cfg      Config
	block    *grid.Block
	ghosts   halo.GhostExchanger[F]
	fork     func(f func() error) error // of linked devices: queues what f calls beside what follows
	fresh    bool                       // ghosts are those of now, but for deep ones
	flow     flow.Flow
	course   *flow.Course[F] // nil where the flow varies by a factor alone
	comm     dist.Comm
	dev      backend.Device

	// separate tells that the device has memory of its own. The host then has room for a copy of the field.
	separate bool
	host     []F

	passes  [cycleLength][]pass[F]
	listed  [cycleLength][]pass[F] // over tiles or bricks with work, as find lists them before the first turn
	find    []kernelOver
	take    kernelOver                    // deep ghosts that have come
	busy    [1]int32                      // how many have work
	replays map[stretch]backend.Recording // of stretches of a cycle; nil of those that were taken once
	blocks  int                           // tiles or bricks that they have room for
	lists   bool                          // there is a list of those with work, for the cycle that is under way
	walls   [2]backend.Loop               // of the fields that a step may end with
	volume  float64                       // at the start
	limit   float64                       // the longest step at a factor of 1
	rates   rates                         // the worst so far, at a factor of 1

	t       float64
	pause   float64
	took    float64 // the last step
	steps   int
	longest float64 // step so far, times the size of its factor
	next    [cycleLength]kernels.Clock[F]
	clockAt time.Time
	spent   [3]time.Duration // on halos, planes, sweeps
}

func setUp[F num.Float](ctx context.Context, cfg Config, b *grid.Block, plan *halo.BoxPlan, v flow.Flow,
	fractions []float64, comm dist.Comm, dev backend.Device) (_ *solver[F], err error) {
	if err := cfg.suits(b); err != nil {
		return nil, err
	}
	s := &solver[F]{cfg: cfg, block: b, flow: v, comm: comm, dev: dev, replays: map[stretch]backend.Recording{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.separate = dev.(backend.Memory)
	if s.ways, err = cfg.choose(b, s.separate); err != nil {
		return nil, err
	}
	s.alone = alone(plan)
	if plan, err = s.widenGhosts(ctx, plan); err != nil {
		return nil, err
	}
	b = s.block
	if err := s.connect(ctx, plan); err != nil {
		return nil, err
	}
	if len(fractions) != b.Cells() {
		return nil, fmt.Errorf("%d volume fractions for a block of %d cells", len(fractions), b.Cells())
	}
	start, begun, err := begin[F](ctx, b, fractions)
	if err != nil {
		return nil, err
	}
	var u [3][]F // of the last time of a series; steps bring that of their own
	err = v.Each(func(v flow.Flow) (err error) {
		if u, err = flow.OnBlock[F](ctx, b, v); err != nil {
			return err
		}
		return s.measure(ctx, u)
	})
	if err != nil {
		return nil, err
	}
	s.course = flow.CourseOf[F](b, v)
	if err := s.upload(dev, b, &s.ways, start, u); err != nil {
		return nil, err
	}
	s.prepare(b)
	if s.separate {
		s.host = start
	}
	if err := s.observer.prepare(s, begun); err != nil {
		return nil, err
	}
	d, err := s.Diagnose(ctx)
	s.volume = d.Volume
	return s, err
}

// suits refuses a block that the configuration does not fit.
func (cfg *Config) suits(b *grid.Block) error {
	if err := cfg.check(b.Grid.Dim); err != nil {
		return err
	}
	if b.Ghost < cfg.Ghosts(b.Grid.Dim) {
		return fmt.Errorf("the block has %d layers of ghosts, normal %s with exchange %q needs %d", b.Ghost, cfg.Normal,
			cfg.Exchange, cfg.Ghosts(b.Grid.Dim))
	}
	if b.Len() > math.MaxInt32 {
		return fmt.Errorf("a block of %v cells has more than 2^31 numbers: use more ranks", b.N)
	}
	return nil
}

// prepare makes the kernels of steps.
func (s *solver[F]) prepare(b *grid.Block) {
	for k := range cycleLength {
		s.passes[k] = s.arrays.passes(b, s.cfg, &s.ways, k, &s.every)
		if s.listed[k] = s.passes[k]; s.parts > 0 {
			s.listed[k] = s.arrays.passes(b, s.cfg, &s.ways, k, &s.arrays.busy)
		}
	}
	for n := range s.walls {
		s.walls[n] = kernels.NewFillWallLoop(s.from, s.to, s.fields[n])
	}
	if s.parts > 0 {
		s.find = s.listing(b, &s.ways)
	}
	if s.period == byCycle {
		s.take = s.arrays.taking(b, s.cfg, &s.ways)
	}
}

func (s *solver[F]) Time() float64 { return s.t }
func (s *solver[F]) Steps() int    { return s.steps }
func (s *solver[F]) Dt() float64   { return s.took }
func (s *solver[F]) Bytes() int64  { return s.taken.Bytes() }

// view returns the field of this step where the host can read it, with its ghosts if they are asked for.
func (s *solver[F]) view(ctx context.Context, ghosts bool) ([]F, error) {
	f := s.fields[s.now()]
	if ghosts {
		if err := s.fillGhosts(ctx); err != nil {
			return nil, err
		}
	}
	if !s.separate {
		return f, nil
	}
	return s.host, backend.Download(s.dev, s.host, f)
}

// fillGhosts makes those of the field of this step.
func (s *solver[F]) fillGhosts(ctx context.Context) error {
	if err := s.refresh(ctx); err != nil {
		return err
	}
	s.dev.Run(s.walls[s.now()], 0, len(s.to))
	return nil
}

// now is which of the fields is that after the last step.
func (s *solver[F]) now() int {
	if s.over == byTiles {
		return s.steps % 2
	}
	return 0
}

func (s *solver[F]) Ways() (exchange, sweep string) {
	exchange, sweep = "sweep", "cells"
	switch {
	case s.period == byCycle:
		exchange = "steps"
	case s.period != bySweep:
		exchange = "step"
	}
	switch {
	case s.over == byTiles:
		sweep = "tiles"
	case s.over == byBricks:
		sweep = "bricks"
	}
	return exchange, sweep
}

func (s *solver[F]) Close() {
	s.forgetReplays()
	if s.ghosts != nil {
		_ = s.ghosts.Close() // what is not given back goes with the device
	}
	s.taken.Free()
}
