package vof

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Setting is a rank's part of a case.
type Setting struct {
	Block *domain.Block
	Flow  flow.Flow
	Start []float64 // the initial volume fraction of each cell of the block, x fastest
	// Exact are the volume fractions with which errors are computed, as Start; those at the start if it is nil.
	Exact []float64
	Final *shape.Body // the exact body at the end, with whose surface normals are compared; nil if it is not smooth
	Size  solvers.Size
	// FlowError is where the first error in evaluating the flow during steps is stored; it may be nil.
	FlowError *error
}

// New sets up the solver in the given precision, "float32" or "float64". All ranks call it.
func New(ctx context.Context, env solvers.Env, precision string, cfg Config, at Setting) (*engine.Engine, error) {
	switch precision {
	case "float32":
		return engineOf(setUp[float32](ctx, env, cfg, at))
	case "float64":
		return engineOf(setUp[float64](ctx, env, cfg, at))
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

func engineOf[F num.Float](s *solver[F], err error) (*engine.Engine, error) {
	if err != nil {
		return nil, err
	}
	return s.Engine, nil
}

type solver[F num.Float] struct {
	*engine.Engine
	arrays[F]
	schedule
	tileLister
	cfg    Config
	block  *grid.Block    // with deep ghosts if the schedule has them
	cells  *solvers.Space // the block's own
	final  *surface       // the exact interface at the end; nil if there is none
	flow   flow.Flow
	series *flow.BlockSeries[F] // nil if the flow has no time series
	clock  *engine.Given[kernels.Clock[F]]

	exchanges    []*engine.Exchange                           // of each field
	show         [cycleLength]func(ctx context.Context) error // fillGhosts before each step of the cycle
	refreshTiles engine.Task                                  // updates tiles with deep ghosts after an exchange
	band         *narrowBand[F]                               // nil if sweeps go over all cells, tiles or bricks
	host         []F                                          // a copy of the field, on a device with separate memory

	volume       float64 // initial volume; NaN before it is measured
	referenceSum float64 // sum of the reference over all ranks if it is not the initial field; otherwise 0
	maxStep      float64 // largest step in s, for a time factor of 1
	longest      float64 // the largest product of a step in s and |factor| so far
	rates        rates   // the largest so far, for a time factor of 1
	measured     Diagnostics
}

func setUp[F num.Float](ctx context.Context, env solvers.Env, cfg Config, at Setting) (_ *solver[F], err error) {
	if err := cfg.checkBlock(at.Block.Block); err != nil {
		return nil, err
	}
	table := engine.NewTable(env.Device)
	s := &solver[F]{Engine: engine.New(env, table), cfg: cfg, block: at.Block.Block, cells: at.Block.Space(),
		flow: at.Flow, volume: math.NaN()}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, separate := env.Device.(backend.Memory)
	if s.schedule, err = cfg.chooseSchedule(s.block, separate); err != nil {
		return nil, err
	}
	plan := at.Block.Plan
	s.alone = hasNoOtherRank(plan)
	if s.block, plan, err = s.deepen(ctx, cfg, env.Comm, s.block, plan); err != nil {
		return nil, err
	}
	from, err := s.initialArrays(ctx, at)
	if err != nil {
		return nil, err
	}
	s.series = flow.NewBlockSeries[F](s.block, at.Flow)
	s.arrays = declare(table, s.block, &s.schedule, from)
	s.clock = engine.NewGiven(table, cycleLength, s.nextClock, s.clockOf)
	s.clock.Bounds = s.boundSteps
	if err := table.Err(); err != nil {
		return nil, err
	}
	if separate {
		s.host = from.start
	}
	if err := s.prepare(ctx, plan); err != nil {
		return nil, err
	}
	if at.Final != nil {
		s.final = surfaceOf(at.Final, s.block.Grid)
	}
	if err := s.Define(ctx, s.definition(at)); err != nil {
		return nil, err
	}
	if err := s.refreshGhosts(ctx); err != nil {
		return nil, err
	}
	if _, err := s.Measure(ctx); err != nil {
		return nil, err
	}
	return s, s.setReference(ctx, at.Exact)
}

// prepare prepares what programs use: the narrow band, lists and exchanges.
func (s *solver[F]) prepare(ctx context.Context, plan *halo.BoxPlan) error {
	if s.schedule.narrowBand {
		s.band = newNarrowBand(&s.arrays, s.block, roundOff[F]())
	}
	if s.period == byCycle {
		s.refreshTiles = s.ghostTileTask()
	}
	if err := s.prepareLister(); err != nil {
		return err
	}
	if err := s.connectHalo(ctx, plan); err != nil {
		return err
	}
	for k := range s.show {
		s.show[k] = s.Prepared(func(p *engine.Program) { s.showGhosts(p, k) })
	}
	return nil
}

// initialArrays computes the arrays at the start, and the rates of the flow.
func (s *solver[F]) initialArrays(ctx context.Context, at Setting) (from *initial[F], err error) {
	if len(at.Start) != s.block.Cells() {
		return nil, fmt.Errorf("%d volume fractions for a block of %d cells", len(at.Start), s.block.Cells())
	}
	from = new(initial[F])
	if from.start, from.reference, err = initialField[F](ctx, s.block, at.Start); err != nil {
		return nil, err
	}
	return from, at.Flow.Each(func(v flow.Flow) (err error) { // of a time series the last is kept; steps upload theirs
		if from.u, err = flow.OnBlock[F](ctx, s.block, v); err != nil {
			return err
		}
		return s.measureRates(ctx, from.u)
	})
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

// definition is the solver as data.
func (s *solver[F]) definition(at Setting) engine.Definition {
	window := cycleLength
	if s.series != nil {
		window = 1 // each step has its own velocity
	}
	return engine.Definition{Model: s, Size: at.Size, Clock: s.clock, Cycle: cycleLength, Step: s.step, Window: window,
		Record: window, Fields: s.fieldList(), Shapes: append(at.Block.Shapes(s), s.planeShape(at.Block)),
		Saved: []engine.Scalar{engine.SavesNumber("longest", &s.longest)}, Restored: s.restored, Measured: s.measures,
		End: s.measureEnd,
		Failed: func() error {
			if at.FlowError == nil {
				return nil
			}
			return *at.FlowError
		}}
}

// setReference replaces the field with which errors are computed, unless it is nil. All ranks call it.
func (s *solver[F]) setReference(ctx context.Context, fractions []float64) error {
	if fractions == nil {
		return nil
	}
	var sum dist.Accumulator
	for _, f := range fractions {
		sum.Add(f)
	}
	if err := dist.AllreduceSum(ctx, s.Env().Comm, &sum); err != nil {
		return err
	}
	s.referenceSum = sum.Float64()
	return s.reference.Set(fractions)
}

// restored recomputes what depends on the state: after a restart any tile, brick or piece may hold anything.
func (s *solver[F]) restored(ctx context.Context) error {
	for _, kinds := range s.kinds {
		if kinds != nil {
			if err := kinds.Set(allMixed(s.count)); err != nil {
				return err
			}
		}
	}
	if s.band != nil {
		s.band.activateAll()
	}
	s.bounds = false
	return s.refreshGhosts(ctx)
}

// refreshGhosts exchanges the ghosts of the present state, and lists the tiles or bricks in which anything may change
// before the next cycle.
func (s *solver[F]) refreshGhosts(ctx context.Context) error {
	k := s.Clock().Steps % cycleLength
	return s.Do(ctx, func(p *engine.Program) {
		p.Refresh(s.exchanges[s.stateBefore(k)])
		if k > 0 && s.count > 0 {
			s.list(p)
		}
	})
}

// stateBefore returns the index in fields of the state before step k of the cycle.
func (s *solver[F]) stateBefore(k int) int {
	if s.traversal == byTiles {
		return k % 2
	}
	return 0
}

// state returns the array of the present state.
func (s *solver[F]) state() *engine.Array[F] {
	return s.fields[s.stateBefore(s.Clock().Steps%cycleLength)]
}

// hostField returns the volume fractions, with current ghosts, in memory that the host can read.
func (s *solver[F]) hostField(ctx context.Context) ([]F, error) {
	if err := s.fillGhosts(ctx); err != nil {
		return nil, err
	}
	f := s.state().Data
	if s.host == nil {
		return f, nil
	}
	return s.host, backend.Download(s.Env().Device, s.host, f)
}

// Schedule returns how often ghosts are exchanged (before each sweep, once a step, or once in several steps), and what
// a step traverses: cells, tiles or bricks.
func (s *solver[F]) Schedule() (exchange, sweep string) { return s.names() }
