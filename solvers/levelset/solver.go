package levelset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/balance"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Setting is a rank's part of a case.
type Setting struct {
	Block *domain.Block
	Flow  flow.Flow
	Start []float64 // the initial level set at the centre of each cell of the block, x fastest: see Distance
	// Carried, unless nil, has the state of the solver on other blocks, which is restored next: Start is then not used.
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

type solver[F num.Float] struct {
	*engine.Engine
	arrays[F]
	cfg     Config
	block   *grid.Block
	lattice kernels.Lattice[F]
	flow    flow.Flow
	series  *flow.BlockSeries[F] // nil if the flow has no time series
	clock   *engine.Given[kernels.Clock[F]]

	allLayers, wenoLayers, oneLayer ghostLayers[F] // all layers of ghosts, those that WENO needs, and one layer
	boundsGhosts                    *engine.Ghosts // returns bounds to the owners of cells
	swarm                           *swarm[F]      // nil without particles

	maxRate     float64 // largest |u|/h of a face in 1/s, for a time factor of 1
	startVolume float64 // at the start, in m³ or m²; NaN before it is measured
	maxEscaped  int64   // the largest number of escaped particles in any measurement
	measured    Diagnostics
}

func setUp[F num.Float](ctx context.Context, env solvers.Env, cfg Config, at Setting) (_ *solver[F], err error) {
	b := at.Block.Block
	if err := cfg.checkBlock(b, at); err != nil {
		return nil, err
	}
	table := engine.NewTable(env.Device)
	s := &solver[F]{Engine: engine.New(env, table), cfg: cfg, block: b, lattice: latticeOf[F](b), flow: at.Flow,
		startVolume: math.NaN()}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	var u [3][]F // for a time series: the velocity at its last time; each step uploads its own
	err = at.Flow.Each(func(v flow.Flow) (err error) {
		if u, err = flow.OnBlock[F](ctx, b, v); err != nil {
			return err
		}
		return s.measureFlow(ctx, u)
	})
	if err != nil {
		return nil, err
	}
	s.series = flow.NewBlockSeries[F](b, at.Flow)
	plan, err := itemPlan(at.Block)
	if err != nil {
		return nil, err
	}
	s.arrays = declare[F](table, cfg, b, len(plan.Peers), at.Block.Plan.Return(), func(axis int) []F { return u[axis] })
	s.clock = engine.NewGiven(table, 1, engine.EqualSteps(cfg.CFL/s.maxRate), s.clockOf)
	s.clock.Bounds = s.clock.Equal
	if err := s.connectBlocks(at.Block.Plan); err != nil {
		return nil, err
	}
	if err := table.Err(); err != nil {
		return nil, err
	}
	if cfg.Particles > 0 {
		if s.swarm, err = newSwarm(ctx, s, at.Block); err != nil {
			return nil, err
		}
	}
	return s, s.begin(ctx, at)
}

// begin sets the initial state, or continues that on other blocks.
func (s *solver[F]) begin(ctx context.Context, at Setting) error {
	if at.Carried != nil {
		if err := s.carry(ctx, at.Carried); err != nil {
			return err
		}
		return s.Define(ctx, s.definition(at))
	}
	if err := s.initialise(ctx, at.Start); err != nil {
		return err
	}
	if s.swarm != nil {
		if err := s.swarm.setUp(ctx); err != nil {
			return err
		}
	}
	if err := s.Define(ctx, s.definition(at)); err != nil {
		return err
	}
	_, err := s.Measure(ctx)
	return err
}

func (cfg Config) checkBlock(b *grid.Block, at Setting) error {
	if err := cfg.Check(b.Grid.Dim); err != nil {
		return err
	}
	switch {
	case b.Ghost < cfg.Ghosts():
		return fmt.Errorf("the block has %d layers of ghosts, the method needs %d", b.Ghost, cfg.Ghosts())
	case b.Len() > math.MaxInt32:
		return fmt.Errorf("a block of %v cells has arrays of more than 2^31 numbers with its ghosts: use more ranks", b.N)
	case at.Carried == nil && len(at.Start) != b.Cells():
		return fmt.Errorf("the initial level set has %d cells, the block %d", len(at.Start), b.Cells())
	}
	return nil
}

// definition is the solver as data.
func (s *solver[F]) definition(at Setting) engine.Definition {
	phi := Fields[0]
	phi.Space, phi.Hashed, phi.Saved, phi.MaxDistance = at.Block.Space(), true, true, s.band()
	def := engine.Definition{Model: s, Size: at.Size, Clock: s.clock, Cycle: 1, Window: 1, Step: s.step,
		Fields:   []solvers.Field{engine.ShownOnBlock(s.Engine, phi, s.block, s.f[now])},
		Shapes:   at.Block.Shapes(s),
		Saved:    []engine.Scalar{engine.Saves("flips", s.prevented, "Flips"), {Name: "escaped_max", Host: &s.maxEscaped}},
		Restored: s.restored, Measured: s.measures,
		Failed: func() error {
			if at.FlowError == nil {
				return nil
			}
			return *at.FlowError
		}}
	if w := s.swarm; w != nil {
		def.Fields = append(def.Fields, w.field())
		def.Quiesce = w.quiesce
		def.Rest = func(p *engine.Program) { p.Queue(func() error { w.updateRadii(); return nil }) }
		def.Saved = slices.Concat(def.Saved, []engine.Scalar{{Name: "sowings", Host: &w.seedings},
			{Name: "sown", Host: &w.seeded, Sum: true}, engine.Saves("left", s.removed, "Left"),
			engine.Saves("deleted", s.removed, "Deleted")})
	}
	def.Shapes = append(def.Shapes, solvers.Shape{Format: "particles", File: "vtp",
		Doc: "the particles, with their signs and radii", Faces: s.particleFile(at.Block)})
	return def
}

// connectBlocks sets up all exchanges between blocks.
func (s *solver[F]) connectBlocks(plan *halo.BoxPlan) (err error) {
	if s.allLayers, err = s.newGhostLayers(plan, s.block.Ghost); err != nil {
		return err
	}
	if s.wenoLayers, err = s.newGhostLayers(plan, wenoGhosts); err != nil {
		return err
	}
	if s.oneLayer, err = s.newGhostLayers(plan, 1); err != nil || s.cfg.Particles == 0 {
		return err
	}
	s.boundsGhosts = s.MeshGhosts(s.back.Plan, tagBounds)
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
	if err := s.f[next].Set(host); err != nil {
		return err
	}
	return s.Do(ctx, func(p *engine.Program) {
		s.allLayers.refresh(p, next)
		p.Run(s.initDistances(true))
		s.sweep(p)
		s.allLayers.refresh(p, now)
		p.Queue(func() error { return s.start.Copy(s.f[now]) })
	})
}

// carry continues what the solver on other blocks had besides its saved state. Cells have the initial level set until
// the state is restored.
func (s *solver[F]) carry(ctx context.Context, from *balance.Carried) error {
	start, old := balance.NumbersOf[F](from, carriedStart), from.From.(*solver[F])
	s.startVolume, s.measured = old.startVolume, old.measured
	host := make([]F, s.block.Len())
	grid.SetOwned(s.block, host, start)
	for k := range s.f {
		if err := s.f[k].Set(host); err != nil {
			return err
		}
	}
	if s.swarm != nil {
		s.swarm.clearBounds()
	}
	return s.Do(ctx, func(p *engine.Program) {
		s.allLayers.refresh(p, now)
		p.Queue(func() error { return s.start.Copy(s.f[now]) })
	})
}

// restored recomputes what depends on a saved state.
func (s *solver[F]) restored(ctx context.Context) error {
	if w := s.swarm; w != nil {
		removed, err := s.removed.Host()
		if err != nil {
			return err
		}
		n := []int64{int64(w.set.Count), w.seeded - removed[0].Left - removed[0].Deleted}
		if err := s.Env().Comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
			return err
		}
		if n[0] != n[1] {
			return fmt.Errorf("%d particles were saved, but %d belong to blocks of this run: is it the state of another case?",
				n[1], n[0])
		}
	}
	return s.Do(ctx, func(p *engine.Program) { s.allLayers.refresh(p, now) })
}

// measureFlow updates the largest rate from velocities, the same on all ranks; for a time series that is the rate of
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
	err = s.Env().Comm.AllreduceFloat64(ctx, dist.Max, rate)
	s.maxRate = max(s.maxRate, rate[0])
	return err
}

// maxFaceRate returns the largest |u|/h of a face in 1/s, in the row of cells that begins at index first.
func (s *solver[F]) maxFaceRate(u [3][]F, first int) (rate float64, err error) {
	for axis := range s.block.Grid.Dim {
		stride, h := [3]int{1, s.lattice.SY, s.lattice.SZ}[axis], s.block.Grid.Spacing(axis)
		for c := first; c < first+s.block.N[0]; c++ {
			lo, hi := float64(u[axis][c]), float64(u[axis][c+stride])
			if lo-lo != 0 || hi-hi != 0 {
				return 0, &solvers.InvalidState{Err: fmt.Errorf("the velocity along axis %d is %g and %g at the faces of a "+
					"cell of rank %d", axis, lo, hi, s.Env().Comm.Rank())}
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

// band is the constant |φ| beyond the band, in m.
func (s *solver[F]) band() float64 {
	_, longest := spacings(s.block.Grid)
	return float64(F(s.cfg.Band * longest))
}

// radii are the smallest and the largest radius of a particle in m.
func (s *solver[F]) radii() (least, most F) {
	shortest, _ := spacings(s.block.Grid)
	return F(minRadius * shortest), F(maxRadius * shortest)
}

// correction returns the parameters for correcting a level set.
func (s *solver[F]) correction(field int) *kernels.Correction[F] {
	return &kernels.Correction[F]{Lattice: s.lattice, Escape: F(s.cfg.Escape), Phi: s.f[field].Data}
}

// sync waits for the device.
func (s *solver[F]) sync() error { return backend.Sync(s.Env().Device) }

// ParticleCount returns the number of particles of the block.
func (s *solver[F]) ParticleCount() int64 {
	if s.swarm == nil {
		return 0
	}
	return int64(s.swarm.set.Count)
}
