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
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Solver advances the volume fractions on a rank's block. All ranks make the same calls.
type Solver interface {
	// Step takes one of the equal steps that lead to the time until, and returns its length in s.
	Step(ctx context.Context, until float64) (float64, error)
	// Advance takes between one and `steps` such steps. On a device it returns when they are queued.
	Advance(ctx context.Context, until float64, steps int) error
	// Pause makes Advance return after the first step that reaches a time; 0 for none.
	Pause(at float64)
	Time() float64
	Steps() int
	// Dt is the length of the last step in s, 0 before the first.
	Dt() float64
	// StepsTo implements solvers.Stepper.
	StepsTo(until float64) (least, most float64)
	// Planes returns the lines or planes of the block's mixed cells.
	Planes(ctx context.Context) (*Planes, error)
	domain.Surfaced
	// Field returns a quantity in every cell of the block, x fastest: f, or in mixed cells nx, ny, nz, alpha and
	// curvature, 0 in other cells. The fluid is where n·x ≤ alpha, with the unit normal n and x relative to the
	// lowest corner of the cell. The curvature is 1/r for a disk of fluid, 2/r for a ball, and NaN where too little
	// of the interface is nearby.
	Field(ctx context.Context, name string) ([]float64, error)
	// Probe writes quantities of single cells to out, cell by cell; cells are numbers in the block, x fastest. All
	// ranks call it with the same names, each with its own cells.
	Probe(ctx context.Context, names []string, cells []int, out []float64) error
	// Diagnose measures the current state. Errors are relative to the initial state, or to the last SetReference.
	Diagnose(ctx context.Context) (Diagnostics, error)
	SetReference(ctx context.Context, fractions []float64) error
	// Observe and Observed implement solvers.Observer.
	Observe(ctx context.Context) error
	Observed(to *dist.Joint) (dist.Result[Diagnostics], error)
	// View is the view of the block's volume fractions.
	View() solvers.View
	// State, Scalars and Restore implement solvers.Restarter.
	State(ctx context.Context) ([]solvers.State, error)
	Scalars(ctx context.Context) (map[string]float64, error)
	Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error
	// Hash returns the hash of the volume fractions: see solvers.Hash.
	Hash(ctx context.Context) (string, error)
	// Phases returns the seconds that this rank spent in each phase.
	Phases() map[string]float64
	// Bytes returns the size of the arrays on the device.
	Bytes() int64
	// Halo returns the exchanger of ghosts: direct, staged or nccl.
	Halo() string
	// Schedule returns how often ghosts are exchanged (before each sweep, once a step, or once in several steps), and
	// what a step traverses: cells, tiles or bricks.
	Schedule() (exchange, sweep string)
	// Close frees the memory on the device.
	Close()
}

// New sets up the solver in the given precision, "float32" or "float64", from the volume fraction of each cell of the
// block, x fastest.
func New(ctx context.Context, precision string, cfg Config, b *grid.Block, plan *halo.BoxPlan, v flow.Flow,
	fractions []float64, comm dist.Comm, dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return orNil(setUp[float32](ctx, cfg, b, plan, v, fractions, comm, dev))
	case "float64":
		return orNil(setUp[float64](ctx, cfg, b, plan, v, fractions, comm, dev))
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

// orNil turns a solver that could not be set up into a nil interface.
func orNil[F num.Float](s *solver[F], err error) (Solver, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

type solver[F num.Float] struct {
	arrays[F]
	schedule
	observer      observer[F]
	cfg           Config
	block         *grid.Block
	ghosts        halo.GhostExchanger[F]
	fork          func(f func() error) error // for linked devices: queues the operations of f on a second stream
	ghostsCurrent bool                       // the current field's ghosts are up to date; of deep ghosts the inner ones
	flow          flow.Flow
	series        *flow.BlockSeries[F] // nil if the flow has no time series
	comm          dist.Comm
	dev           backend.Device

	// separate is true for a device with separate memory; the host then has a copy of the field.
	separate bool
	host     []F

	passes        [cycleLength][]pass[F]
	activePasses  [cycleLength][]pass[F] // over the active tiles or bricks
	lister        tileLister
	refreshTiles  indexedLoop // updates tiles with deep ghosts after an exchange
	recordings    map[stepRange]*backend.Replay
	recordedTiles int             // number of tiles or bricks over which recorded loops run
	listValid     bool            // the list of active tiles or bricks is of this cycle
	wallLoops     [2]backend.Loop // fill ghosts beyond walls, by final field of a step
	volume        float64         // initial volume
	maxStep       float64         // largest step in s, for a time factor of 1
	rates         rates           // the largest so far, for a time factor of 1

	instant    // of the current state
	pause      float64
	nextClocks [cycleLength]kernels.Clock[F]
	lapStart   time.Time
	phaseTime  [3]time.Duration // on exchanges, planes, sweeps
}

func setUp[F num.Float](ctx context.Context, cfg Config, b *grid.Block, plan *halo.BoxPlan, v flow.Flow,
	fractions []float64, comm dist.Comm, dev backend.Device) (_ *solver[F], err error) {
	if err := cfg.checkBlock(b); err != nil {
		return nil, err
	}
	s := &solver[F]{cfg: cfg, block: b, flow: v, comm: comm, dev: dev, recordings: map[stepRange]*backend.Replay{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.separate = dev.(backend.Memory)
	if s.schedule, err = cfg.chooseSchedule(b, s.separate); err != nil {
		return nil, err
	}
	s.alone = hasNoOtherRank(plan)
	if plan, err = s.widenGhosts(ctx, plan); err != nil {
		return nil, err
	}
	b = s.block
	if err := s.connectHalo(ctx, plan); err != nil {
		return nil, err
	}
	if len(fractions) != b.Cells() {
		return nil, fmt.Errorf("%d volume fractions for a block of %d cells", len(fractions), b.Cells())
	}
	start, rounded, err := initialField[F](ctx, b, fractions)
	if err != nil {
		return nil, err
	}
	var u [3][]F // for a time series at its last time; each step uploads its own
	err = v.Each(func(v flow.Flow) (err error) {
		if u, err = flow.OnBlock[F](ctx, b, v); err != nil {
			return err
		}
		return s.measureRates(ctx, u)
	})
	if err != nil {
		return nil, err
	}
	s.series = flow.NewBlockSeries[F](b, v)
	if err := s.upload(dev, b, &s.schedule, start, u); err != nil {
		return nil, err
	}
	if err := s.prepareLoops(b); err != nil {
		return nil, err
	}
	if s.separate {
		s.host = start
	}
	if err := s.prepareLister(); err != nil {
		return nil, err
	}
	if err := s.observer.prepare(s, rounded); err != nil {
		return nil, err
	}
	d, err := s.Diagnose(ctx)
	s.volume = d.Volume
	return s, err
}

// checkBlock returns an error for a block that does not fit the configuration.
func (cfg *Config) checkBlock(b *grid.Block) error {
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

// prepareLoops makes the loops of a cycle, and the narrow band if they are restricted to it.
func (s *solver[F]) prepareLoops(b *grid.Block) (err error) {
	if !s.separate && s.traversal == byCells {
		s.narrowBand, err = newNarrowBand(&s.arrays, b, s.cfg.methods()[0], roundOff[F]())
		if err != nil {
			return err
		}
	}
	for k := range cycleLength {
		s.passes[k] = s.arrays.newPasses(b, s.cfg, &s.schedule, k, &s.allTiles)
		if s.activePasses[k] = s.passes[k]; s.count > 0 {
			s.activePasses[k] = s.arrays.newPasses(b, s.cfg, &s.schedule, k, &s.arrays.activeTiles)
		}
	}
	for n := range s.wallLoops {
		s.wallLoops[n] = kernels.NewFillWallLoop(s.wallCells, s.wallGhosts, s.fields[n])
	}
	if s.period == byCycle {
		s.refreshTiles = s.arrays.ghostTileLoop(b, s.cfg, &s.schedule)
	}
	return nil
}

func (s *solver[F]) Time() float64 { return s.t }
func (s *solver[F]) Steps() int    { return s.steps }
func (s *solver[F]) Dt() float64   { return s.lastStep }
func (s *solver[F]) Bytes() int64  { return s.allocated.Bytes() }

// hostField returns the current field in memory that the host can read, with current ghosts if requested.
func (s *solver[F]) hostField(ctx context.Context, ghosts bool) ([]F, error) {
	f := s.fields[s.currentField()]
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

// fillGhosts updates the ghosts of the current field, including those beyond walls.
func (s *solver[F]) fillGhosts(ctx context.Context) error {
	if err := s.refreshGhosts(ctx); err != nil {
		return err
	}
	s.dev.Run(s.wallLoops[s.currentField()], 0, len(s.wallGhosts))
	return nil
}

// currentField returns the index in fields of the state after the last step.
func (s *solver[F]) currentField() int {
	if s.traversal == byTiles {
		return s.steps % 2
	}
	return 0
}

func (s *solver[F]) Schedule() (exchange, sweep string) {
	exchange, sweep = "sweep", "cells"
	switch {
	case s.period == byCycle:
		exchange = "steps"
	case s.period != bySweep:
		exchange = "step"
	}
	switch {
	case s.traversal == byTiles:
		sweep = "tiles"
	case s.traversal == byBricks:
		sweep = "bricks"
	}
	return exchange, sweep
}

func (s *solver[F]) Close() {
	s.forgetRecordings()
	if s.ghosts != nil {
		_ = s.ghosts.Close() // anything that remains is freed with the device
	}
	s.allocated.Free()
}
