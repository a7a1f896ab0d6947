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
	"github.com/atoll-hpc/atoll/solvers/common/balance"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/narrowband"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// Setting is a rank's part of a case.
type Setting struct {
	Block *domain.Block
	Flow  flow.Flow
	Start []float64 // the initial volume fraction of each cell of the block, x fastest
	// Exact are the volume fractions with which errors are computed, as Start; those at the start if it is nil.
	Exact []float64
	Final *shape.Body // the exact body at the end, with whose surface normals are compared; nil if it is not smooth
	// Carried, unless nil, has the state of the solver on other blocks, which is restored next: Start and Exact are then
	// not used.
	Carried *balance.Carried
	Size    solvers.Size
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

// solver is what a definition and its set-up put together.
type solver[F num.Float] struct {
	*rank[F]
	steps        stepper[F]
	lengths      lengths[F]
	plic         plic.Interface[F]
	final        *surface // the exact interface at the end; nil if there is none
	volume       float64  // initial volume; NaN before it is measured
	referenceSum float64  // sum of the reference over all ranks if it is not the initial field; otherwise 0
	measured     Diagnostics
}

// rank is a rank's block and its arrays, which all that the solver consists of works on.
type rank[F num.Float] struct {
	*engine.Engine
	arrays[F]
	schedule
	cfg   Config
	block *grid.Block    // with deep ghosts if the schedule has them
	cells *solvers.Space // the block's own
	clock *engine.Given[kernels.Clock[F]]

	exchanges []*engine.Exchange                           // of each field
	show      [cycleLength]func(ctx context.Context) error // fillGhosts before each step of the cycle
	host      []F                                          // a copy of the field, on a device with separate memory
}

func setUp[F num.Float](ctx context.Context, env solvers.Env, cfg Config, at Setting) (_ *solver[F], err error) {
	if err := cfg.checkBlock(at.Block.Block); err != nil {
		return nil, err
	}
	if at.Carried != nil {
		at.Start = balance.NumbersOf[float64](at.Carried, carriedReference) // until the state is restored
	}
	table := engine.NewTable(env.Device)
	r := &rank[F]{Engine: engine.New(env, table), cfg: cfg, block: at.Block.Block, cells: at.Block.Space()}
	s := &solver[F]{rank: r, steps: stepper[F]{rank: r}, lengths: lengths[F]{rank: r, flow: at.Flow}, volume: math.NaN()}
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
	s.plic = plic.Interface[F]{Block: s.block, Normal: cfg.normalMethod()}
	s.steps.series = flow.NewBlockSeries[F](s.block, at.Flow)
	s.arrays = declare(table, s.block, &s.schedule, from)
	s.clock = engine.NewGiven(table, cycleLength, s.lengths.nextClock, s.lengths.clockOf)
	s.clock.Bounds = s.lengths.boundSteps
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
	if at.Carried != nil {
		return s, s.carry(at.Carried)
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
		var fields [][]F
		for _, f := range s.fields {
			fields = append(fields, f.Data)
		}
		s.steps.band = narrowband.New(s.block, fields, s.bandWords, s.wallCells.Data, s.wallGhosts.Data,
			plic.RoundOff[F]())
	}
	if s.period == byCycle {
		s.steps.refreshTiles = s.steps.ghostTileTask()
	}
	if err := s.steps.prepareLister(); err != nil {
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
		return s.lengths.measureRates(ctx, from.u)
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
	if s.steps.series != nil {
		window = 1 // each step has its own velocity
	}
	return engine.Definition{Model: s, Size: at.Size, Clock: s.clock, Cycle: cycleLength, Step: s.steps.step,
		Window: window, Record: window, Fields: s.fieldList(), Shapes: s.output(at.Block).Shapes(),
		Saved: []engine.Scalar{engine.SavesNumber("longest", &s.lengths.longest)}, Restored: s.restored, Measured: s.measures,
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
			if err := kinds.Set(allMixed(s.listable)); err != nil {
				return err
			}
		}
	}
	if s.steps.band != nil {
		s.steps.band.ActivateAll()
	}
	s.steps.bounds = false
	return s.refreshGhosts(ctx)
}

// refreshGhosts exchanges the ghosts of the present state, and lists the tiles or bricks in which anything may change
// before the next cycle.
func (s *solver[F]) refreshGhosts(ctx context.Context) error {
	k := s.Clock().Steps % cycleLength
	return s.Do(ctx, func(p *engine.Program) {
		p.Refresh(s.exchanges[s.stateBefore(k)])
		if k > 0 && s.listable > 0 {
			s.steps.list(p)
		}
	})
}

// stateBefore returns the index in fields of the state before step k of the cycle.
func (s *rank[F]) stateBefore(k int) int {
	if s.traversal == byTiles {
		return k % 2
	}
	return 0
}

// state returns the array of the present state.
func (s *rank[F]) state() *engine.Array[F] {
	return s.fields[s.stateBefore(s.Clock().Steps%cycleLength)]
}

// hostField returns the volume fractions, with current ghosts, in memory that the host can read.
func (s *rank[F]) hostField(ctx context.Context) ([]F, error) {
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
func (s *rank[F]) Schedule() (exchange, sweep string) { return s.names() }
