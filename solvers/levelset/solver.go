package levelset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Solver advances a level set on a rank's block. All ranks make the same calls.
type Solver interface {
	// Advance takes between one and `steps` of the equal steps that lead to the time until.
	Advance(ctx context.Context, until float64, steps int) error
	// StepsTo implements solvers.Stepper.
	StepsTo(until float64) (least, most float64)
	// Pause makes Advance return after the first step that reaches a time; 0 for none.
	Pause(at float64)
	// Time is the time of the state in s, and Steps the number of steps since t = 0.
	Time() float64
	Steps() int
	// Dt is the length of the last step in s, 0 before the first.
	Dt() float64
	// Band returns the constant |φ| beyond the band, in m.
	Band() float64
	// Field returns the level set of the block's cells in m, x fastest.
	Field(ctx context.Context) ([]float64, error)
	// View is the view of the block's level set.
	View() solvers.View
	// Diagnose measures the state; all ranks get the same result.
	Diagnose(ctx context.Context) (Diagnostics, error)
	// Observe and Observed queue and read diagnostics, as solvers.Observer does.
	Observe(ctx context.Context) error
	Observed(to *dist.Joint) (dist.Result[Diagnostics], error)
	// ParticleFields are the saved fields of particles, on a space of their own; none without particles.
	ParticleFields() []solvers.Field
	// Quiesce, Scalars and Restore implement solvers.Restarter.
	Quiesce(ctx context.Context) error
	Scalars(ctx context.Context) (map[string]float64, error)
	Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64, fill func() error) error
	// Phases returns the seconds that this rank spent in each phase.
	Phases() map[string]float64
	// Bytes returns the size of the arrays on the device.
	Bytes() int64
	domain.Surfaced
	// ParticleCount returns the number of particles of the block.
	ParticleCount() int64
	// Particles returns the particles of the block.
	Particles(ctx context.Context) (*Particles, error)
	// Stages returns the parts of a step for measurement.
	Stages() []Stage
	// Halo returns the exchanger of ghosts: direct, staged or nccl.
	Halo() string
	// Close frees the memory on the device.
	Close()
}

// New sets up the solver in the given precision, "float32" or "float64", from a level set at the centre of each cell
// of the block, x fastest, as [Distance] returns it. plan must have as many layers of ghosts as the block.
func New(ctx context.Context, precision string, cfg Config, b *grid.Block, plan *halo.BoxPlan, boxes halo.Boxes,
	v flow.Flow, start []float64, comm dist.Comm, dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return orNil(setUp[float32](ctx, cfg, b, plan, boxes, v, start, comm, dev))
	case "float64":
		return orNil(setUp[float64](ctx, cfg, b, plan, boxes, v, start, comm, dev))
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
	cfg            Config
	block          *grid.Block
	lattice        kernels.Lattice[F]
	flow           flow.Flow
	series         *flow.BlockSeries[F] // nil if the flow has no time series
	comm           dist.Comm
	dev            backend.Device
	work           *primitives.Workspace
	separateMemory bool // the device has separate memory
	closers        []func() error

	allLayers, wenoLayers, oneLayer ghostLayers[F] // all layers of ghosts, those that WENO needs, and one layer
	boundsExchanges                 [3]boundsExchange[F]
	loops                           loops[F]
	reinitialising, finishing       recording // correctAndReinitialise, correctAgain
	swarm                           *swarm[F] // nil without particles
	observer                        solvers.ObservationBuffers[observation]

	hostCopy    []F     // for a device with separate memory: copy of a level set
	maxRate     float64 // largest |u|/h of a face in 1/s, for a time factor of 1
	maxDt       float64 // largest step in s
	startVolume float64 // at the start, in m³ or m²

	pauseAt    float64
	t, lastDt  float64
	steps      int
	hostClock  [1]kernels.Clock[F]
	phaseStart time.Time
	phase      int // the phase to which time is added
	phaseTime  [phaseCount]time.Duration
}

func setUp[F num.Float](ctx context.Context, cfg Config, b *grid.Block, plan *halo.BoxPlan, boxes halo.Boxes,
	v flow.Flow, start []float64, comm dist.Comm, dev backend.Device) (_ *solver[F], err error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	switch {
	case b.Ghost < cfg.Ghosts():
		return nil, fmt.Errorf("the block has %d layers of ghosts, the method needs %d", b.Ghost, cfg.Ghosts())
	case b.Len() > math.MaxInt32:
		return nil, fmt.Errorf("a block of %v cells has arrays of more than 2^31 numbers with its ghosts: use more ranks",
			b.N)
	case len(start) != b.Cells():
		return nil, fmt.Errorf("the initial level set has %d cells, the block %d", len(start), b.Cells())
	}
	s := &solver[F]{cfg: cfg, block: b, lattice: latticeOf[F](b), flow: v, comm: comm, dev: dev,
		work: primitives.NewWorkspace(dev)}
	s.allocated.Device = dev
	s.reinitialising.queue, s.finishing.queue = s.correctAndReinitialise, s.correctAgain
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.separateMemory = dev.(backend.Memory)
	var u [3][]F // for a time series: the velocity at its last time; each step uploads its own
	err = v.Each(func(v flow.Flow) (err error) {
		if u, err = flow.OnBlock[F](ctx, b, v); err != nil {
			return err
		}
		return s.measureFlow(ctx, u)
	})
	if err != nil {
		return nil, err
	}
	s.series = flow.NewBlockSeries[F](b, v)
	if err := s.upload(u); err != nil {
		return nil, err
	}
	if err := s.connectBlocks(ctx, plan); err != nil {
		return nil, err
	}
	if err := s.prepareObserver(); err != nil {
		return nil, err
	}
	s.makeLoops()
	if err := s.initialise(ctx, start); err != nil {
		return nil, err
	}
	if cfg.Particles > 0 {
		if err := s.setUpParticles(ctx, plan, boxes); err != nil {
			return nil, err
		}
	}
	d, err := s.Diagnose(ctx)
	s.startVolume = d.Volume
	return s, err
}

// connectBlocks sets up all exchanges between blocks.
func (s *solver[F]) connectBlocks(ctx context.Context, plan *halo.BoxPlan) (err error) {
	if nx, ny, nz := s.block.Shape(); plan.Shape != [3]int{nx, ny, nz} || plan.Rank != s.comm.Rank() {
		return fmt.Errorf("the halo plan is of rank %d and arrays of %v cells, the block of rank %d and arrays of %v",
			plan.Rank, plan.Shape, s.comm.Rank(), [3]int{nx, ny, nz})
	}
	if s.allLayers, err = s.newGhostLayers(ctx, plan, s.block.Ghost); err != nil {
		return err
	}
	if s.wenoLayers, err = s.newGhostLayers(ctx, plan, wenoGhosts); err != nil {
		return err
	}
	if s.oneLayer, err = s.newGhostLayers(ctx, plan, 1); err != nil || s.cfg.Particles == 0 {
		return err
	}
	for axis := range s.block.Grid.Dim {
		if s.boundsExchanges[axis], err = s.newBoundsExchange(ctx, plan, axis); err != nil {
			return err
		}
	}
	return nil
}

// initialise makes the initial level set a distance within the band.
func (s *solver[F]) initialise(ctx context.Context, start []float64) error {
	host := make([]F, s.block.Len())
	err := s.rows(ctx, func(r, first int) error {
		for i := range s.block.N[0] {
			n := r*s.block.N[0] + i
			if v := start[n]; v-v != 0 {
				return fmt.Errorf("cell %d: the initial level set is %g", s.block.Number(n), v)
			}
			host[first+i] = F(start[n])
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := backend.Upload(s.dev, s.f[next], host); err != nil {
		return err
	}
	if s.separateMemory {
		s.hostCopy = host
	}
	s.phaseStart, s.phase = time.Now(), inSetUp
	if err := s.refreshGhosts(ctx, &s.allLayers, next); err != nil {
		return err
	}
	s.run(s.loops.keepDistances)
	if err := s.sweep(ctx); err != nil {
		return err
	}
	if err := s.refreshGhosts(ctx, &s.allLayers, now); err != nil {
		return err
	}
	return backend.Copy(s.dev, s.start, s.f[now])
}

// owned returns the index range of the block's own cells, extended by a number of layers.
func (s *solver[F]) owned(layers int) (box abi.Box) {
	b := s.block
	for d := range 3 {
		box.Lo[d], box.Hi[d] = b.Lo[d], b.Lo[d]+b.N[d]
		if d < b.Grid.Dim {
			box.Lo[d] -= layers
			box.Hi[d] += layers
		}
	}
	return box
}

// measureFlow updates the largest step from velocities, the same on all ranks; for a time series that is the step for
// the fastest velocity so far.
func (s *solver[F]) measureFlow(ctx context.Context, u [3][]F) error {
	rate := []float64{0}
	var lock sync.Mutex
	err := s.rows(ctx, func(_, first int) error {
		rowRate, err := s.maxFaceRate(u, first)
		lock.Lock()
		defer lock.Unlock()
		rate[0] = max(rate[0], rowRate)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.comm.AllreduceFloat64(ctx, dist.Max, rate); err != nil {
		return err
	}
	s.maxRate = max(s.maxRate, rate[0])
	s.maxDt = s.cfg.CFL / s.maxRate
	return nil
}

// maxFaceRate returns the largest |u|/h of a face in 1/s, in the row of cells that begins at index first.
func (s *solver[F]) maxFaceRate(u [3][]F, first int) (rate float64, err error) {
	for axis := range s.block.Grid.Dim {
		stride, h := [3]int{1, s.lattice.SY, s.lattice.SZ}[axis], s.block.Grid.Spacing(axis)
		for c := first; c < first+s.block.N[0]; c++ {
			lo, hi := float64(u[axis][c]), float64(u[axis][c+stride])
			if lo-lo != 0 || hi-hi != 0 {
				return 0, fmt.Errorf("the velocity along axis %d is %g and %g at the faces of a cell of rank %d", axis, lo, hi,
					s.comm.Rank())
			}
			rate = max(rate, math.Abs(lo)/h, math.Abs(hi)/h)
		}
	}
	return rate, nil
}

// rows calls f for all rows of the block's own cells, with their number and the index of their first cell in an
// array.
func (s *solver[F]) rows(ctx context.Context, f func(r, first int) error) error {
	n := s.block.N
	return parallel.Each(ctx, "level set", n[1]*n[2], cellsPerWorker/n[0]+1, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			if err := f(r, s.block.Index(0, r%n[1], r/n[1])); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *solver[F]) Time() float64 { return s.t }
func (s *solver[F]) Steps() int    { return s.steps }
func (s *solver[F]) Dt() float64   { return s.lastDt }
func (s *solver[F]) Bytes() int64 {
	if s.swarm == nil {
		return s.allocated.Bytes()
	}
	return s.allocated.Bytes() + s.swarm.bytes()
}
func (s *solver[F]) Band() float64 { return float64(F(s.cfg.Band * s.longest())) }
func (s *solver[F]) ParticleCount() int64 {
	if s.swarm == nil {
		return 0
	}
	return int64(s.swarm.n)
}

func (s *solver[F]) Halo() string { return s.allLayers.ghosts.Kind() }

func (s *solver[F]) Close() {
	s.reinitialising.Close()
	s.finishing.Close()
	for _, closeOne := range slices.Backward(s.closers) {
		_ = closeOne() // anything that remains is freed with the device
	}
	s.closers = nil
	if s.swarm != nil {
		s.swarm.free()
	}
	s.allocated.Free()
}
