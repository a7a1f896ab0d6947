package levelset

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// step makes the program of a step: all steps are alike, since the level set `now` is always the state. Their equal
// lengths follow from the velocity at set-up. What lies between two calls of Host is recorded; these launch kernels,
// and may wait for them.
func (s *solver[F]) step(p *engine.Program, _ int) {
	p.Phase("advection")
	if s.series != nil {
		p.Host(s.uploadVelocity)
	}
	s.advect(p)
	w := s.swarm
	if w != nil {
		p.Phase("particles")
		s.oneLayer.refresh(p, next)
		// Radii by the level set before the step; then particles move, set bounds on the advected one, and change ranks.
		p.Host(w.advectParticles)
	}
	p.Phase("reinitialisation")
	s.applyBounds(p, next) // timed with reinitialisation, since both are one recording
	s.reinitialise(p)
	p.Phase("correction")
	if w != nil {
		s.oneLayer.refresh(p, now)
		p.Host(func(context.Context) error { return w.setBounds(now) }) // radii are renewed when the next step begins
	}
	s.applyBounds(p, now)
	s.allLayers.refresh(p, now) // for the next step, reseeding and output
	if w != nil {
		p.Host(w.reseedAndSort) // every so many steps
	}
}

// advect computes the level set next, without ghosts, from now, whose ghosts are up to date.
func (s *solver[F]) advect(p *engine.Program) {
	box, velocity := s.owned(0), s.velocity()
	if s.cfg.Advect == "weno" {
		for n, stage := range advectionStages {
			if n > 0 {
				s.wenoLayers.refresh(p, stage.from)
			}
			p.Run(engine.Over(kernels.NewWENOStageLoop(box, velocity, s.clock.At(), int32(n), F(stage.weight), s.f[now].Data,
				s.f[stage.from].Data, s.f[stage.to].Data), box))
		}
	} else {
		p.Run(engine.Over(kernels.NewSemiLagrangianLoop(box, velocity, s.clock.At(), s.f[now].Data, s.f[next].Data), box))
	}
}

// rkStage is a stage of a Runge–Kutta method of Shu and Osher.
type rkStage struct {
	weight   float64
	from, to int
}

// Advection, of third order, goes from now to next. A pseudo-time step of the relaxation begins and ends with now: only
// its steady state matters, for which second order is enough.
var (
	advectionStages = [3]rkStage{{1, now, stage1}, {1. / 4, stage1, stage2}, {2. / 3, stage2, next}}
	relaxStages     = [2]rkStage{{1, now, stage1}, {1. / 2, stage1, now}}
)

// reinitialise computes the level set now, a distance, from next. Neither has ghosts that are up to date.
func (s *solver[F]) reinitialise(p *engine.Program) {
	switch s.cfg.Reinit {
	case "sweep":
		// A cell next to the interface needs the slopes of its neighbours across it.
		s.wenoLayers.refresh(p, next)
		p.Run(s.initDistances(false))
		s.sweep(p)
	case "weno":
		s.relax(p)
	default:
		p.Queue(func() error { return s.f[now].Copy(s.f[next]) })
	}
}

func (s *solver[F]) sweeping() kernels.Sweeping[F] {
	_, longest := spacings(s.block.Grid)
	return kernels.Sweeping[F]{Lattice: s.lattice, Bricks: s.bricks(), Band: F(s.cfg.Band * longest)}
}

func (s *solver[F]) bricks() kernels.Bricks {
	_, longest := spacings(s.block.Grid)
	return s.bricksOf(s.block, s.cfg.Band*longest/float64(s.lattice.MinSide))
}

// initDistances begins reinitialisation, from next to now and to stage1, between which sweeps alternate. In cells
// beside the interface it computes the distance, or with keep keeps the level set; it sets other cells to the width of
// the band.
func (s *solver[F]) initDistances(keep bool) engine.Task {
	sweeping := s.sweeping()
	sweeping.KeepDistances = keep
	return engine.Whole(kernels.NewInitDistancesLoop(&sweeping, s.f[next].Data, s.f[now].Data, s.f[stage1].Data),
		brickCount(s.block))
}

// sweep propagates distances from the interface to the edge of the band by Jacobi passes. Ghosts beyond walls are
// updated in the first passes only: later they are at least as far from the interface as their neighbours, so their
// values do not matter.
func (s *solver[F]) sweep(p *engine.Program) {
	sweeping, n := s.sweeping(), brickCount(s.block)
	p.Run(s.markBricks())
	between := [2]int{now, stage1}
	var passes [2]engine.Task
	for k, from := range between {
		passes[k] = engine.Whole(kernels.NewSweepLoop(&sweeping, s.f[from].Data, s.f[between[1-k]].Data), n)
	}
	for k := range s.cfg.sweeps(s.block.Grid.Dim) { // an even number, so that the last one writes now
		from := between[k%2]
		if k < 2 {
			s.oneLayer.refresh(p, from)
		} else {
			p.Exchange(s.oneLayer.ghosts, s.f[from])
		}
		p.Run(passes[k%2])
	}
}

// markBricks determines which bricks are active, from those that the interface crosses.
func (s *solver[F]) markBricks() engine.Task {
	bricks := s.bricks()
	return engine.Whole(kernels.NewMarkBrickLoop(&bricks), brickCount(s.block))
}

// relaxCFL is the sum of Courant numbers along all axes in relaxation, where the normal is along the diagonal of a
// cell. By steps of half a cell in the plane, 0.71, the vortex on 64² loses 1.8%, by these 1.7%.
const relaxCFL = 0.85

// relax relaxes the level set toward a distance by pseudo-time steps.
func (s *solver[F]) relax(p *engine.Program) {
	s.wenoLayers.refresh(p, next)
	p.Queue(func() error {
		for _, to := range []int{now, stage1} { // with ghosts: a stage leaves cells beyond the band as they are
			if err := s.f[to].Copy(s.f[next]); err != nil {
				return err
			}
		}
		return nil
	})
	shortest, longest := spacings(s.block.Grid)
	step := shortest * relaxCFL / math.Sqrt(float64(s.block.Grid.Dim))
	box := s.owned(0)
	r := &kernels.Relaxation[F]{Lattice: s.lattice, Step: F(step), Band: F(s.cfg.Band * longest),
		Start: s.f[next].Data}
	for k := range s.cfg.Iterations {
		for n, stage := range relaxStages {
			if k+n > 0 {
				s.wenoLayers.refresh(p, stage.from)
			}
			p.Run(engine.Over(kernels.NewRelaxLoop(box, r, s.prevented.At(), F(stage.weight), s.f[now].Data,
				s.f[stage.from].Data, s.f[stage.to].Data), box))
		}
	}
}

// applyBounds returns the bounds that escaped particles have set beyond the block to the ranks of these cells, and
// applies all to the block's cells of a level set, whose ghosts are then out of date. The bounds are cleared, those of
// ghosts too.
func (s *solver[F]) applyBounds(p *engine.Program, field int) {
	if s.bounds == nil {
		return
	}
	merge := engine.Whole(kernels.NewMergeReturnedLoop(s.returned[0].Data, s.returned[1].Data, s.bounds.Data),
		len(s.returned[0].Data))
	p.ExchangeThen(s.boundsGhosts, []engine.Task{merge}, s.bounds)
	withGhosts := s.owned(1)
	p.Run(engine.Over(kernels.NewApplyBoundsLoop(withGhosts, &s.lattice, domainOf(s.block), s.bounds.Data,
		s.f[field].Data), withGhosts))
}

// Message tags of exchanges that may be pending at the same time.
const (
	tagGhosts   = 1 // plus the number of layers
	tagBounds   = 9
	tagMigrants = 10
)

// ghostLayers are some layers of ghosts of the level sets: those of other ranks, and those beyond walls, which get the
// value of the nearest cell.
type ghostLayers[F num.Float] struct {
	ghosts *engine.Ghosts
	of     *[levelSets]*engine.Array[F]
	walls  [levelSets]engine.Task
}

func (s *solver[F]) newGhostLayers(plan *halo.BoxPlan, width int) (r ghostLayers[F], err error) {
	narrow, err := plan.WithLayers(s.block.Ghost, width, halo.AxisByAxis)
	if err != nil {
		return r, err
	}
	r.ghosts, r.of = s.BoxGhosts(narrow, tagGhosts+width), &s.f
	from, to := wallsWithin(s.block, width)
	n := len(to)
	wallCells := engine.Input(s.Table(), "walls", n, func() []int32 { return from })
	wallGhosts := engine.Input(s.Table(), "walls", n, func() []int32 { return to })
	for k := range r.walls {
		r.walls[k] = engine.Whole(kernels.NewFillWallLoop(wallCells.Data, wallGhosts.Data, s.f[k].Data), n)
	}
	return r, nil
}

// refresh updates the ghosts of a level set.
func (r *ghostLayers[F]) refresh(p *engine.Program, field int) {
	p.ExchangeThen(r.ghosts, r.walls[field:field+1], r.of[field])
}

// wallsWithin lists the ghosts beyond walls in the first `width` layers, and the cells that they copy.
func wallsWithin(b *grid.Block, width int) (from, to []int32) {
	inLayers := func(i, n int) bool { return i >= -width && i < n+width }
	allFrom, allTo := b.BoundaryGhosts()
	for n, c := range allTo {
		if i, j, k := b.Cell(int(c)); inLayers(i, b.N[0]) && inLayers(j, b.N[1]) && inLayers(k, b.N[2]) {
			from, to = append(from, allFrom[n]), append(to, c)
		}
	}
	return from, to
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

func (s *solver[F]) velocity() *kernels.Flow[F] {
	v := &kernels.Flow[F]{Lattice: s.lattice, U: s.u[0].Data, V: s.u[1].Data}
	if s.u[2] != nil {
		v.W = s.u[2].Data
	}
	return v
}

// clockOf returns the time factors of a step.
func (s *solver[F]) clockOf(step engine.Step) (c kernels.Clock[F]) {
	t, dt := step.Before.Time, step.After.Dt
	begin, middle, end := s.flow.FactorAt(t), s.flow.FactorAt(t+dt/2), s.flow.FactorAt(t+dt)
	for d := range s.block.Grid.Dim {
		part := dt / s.block.Grid.Spacing(d)
		c.Half[d], c.Back[d], c.Whole[d] = F(begin*part/2), F(end*part/2), F(middle*part)
		c.Stage[0][d], c.Stage[1][d], c.Stage[2][d] = F(begin*part), F(end*part), F(middle*part)
	}
	return c
}

// uploadVelocity uploads the velocity at the middle of a step for a time series, which makes the step second-order in
// time.
func (s *solver[F]) uploadVelocity(ctx context.Context) error {
	step := s.Step()
	u, err := s.series.At(ctx, step.Before.Time+step.After.Dt/2)
	for axis := range s.block.Grid.Dim {
		if err == nil {
			err = backend.Upload(s.Env().Device, s.u[axis].Data, u[axis])
		}
	}
	return err
}
