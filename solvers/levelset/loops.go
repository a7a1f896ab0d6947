package levelset

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Indices of level sets: a step computes next from now, and reinitialisation computes now from next.
const (
	now = iota
	next
	stage1
	stage2
)

// sizedLoop is a loop with its number of indices.
type sizedLoop struct {
	loop backend.Loop
	size int
}

func overBox(loop backend.Loop, box abi.Box) sizedLoop { return sizedLoop{loop, box.Size()} }

func (s *solver[F]) run(k sizedLoop) { s.dev.Run(k.loop, 0, k.size) }

// loops are the loops over cells. keepDistances and initDistances begin reinitialisation: in cells beside the interface
// the first keeps the level set, the second computes the distance; both set other cells to the width of the band.
type loops[F num.Float] struct {
	advect                       []sizedLoop  // from now to next; several stages for WENO
	keepDistances, initDistances sizedLoop    // from next to now and to stage1, between which sweeps alternate
	sweep                        [2]sizedLoop // from now to stage1, and back
	relax                        [3]sizedLoop // the stages of a pseudo-time step
	markBricks                   sizedLoop    // finds the bricks near the interface
	applyBounds                  [2]sizedLoop // to now and to next
	countInside                  sizedLoop
	slopeError                   sizedLoop
}

// makeLoops makes the loops over cells.
func (s *solver[F]) makeLoops() {
	box, l := s.owned(0), &s.lattice
	velocity := &kernels.Flow[F]{Lattice: *l, U: s.u[0], V: s.u[1], W: s.u[2]}
	clock := &s.clock[0]
	if s.cfg.Advect == "weno" {
		for n, stage := range advectionStages {
			s.loops.advect = append(s.loops.advect, overBox(kernels.NewWENOStageLoop(box, velocity, clock, int32(n),
				F(stage.weight),
				s.f[now], s.f[stage.from], s.f[stage.to]), box))
		}
	} else {
		s.loops.advect = []sizedLoop{overBox(kernels.NewSemiLagrangianLoop(box, velocity, clock, s.f[now], s.f[next]), box)}
	}
	shortest, longest := s.spacings()
	sweeping := kernels.Sweeping[F]{Lattice: *l, Bricks: s.bricks, Band: F(s.cfg.Band * longest)}
	keeping := sweeping
	keeping.KeepDistances = true
	n := s.brickCount()
	s.loops.keepDistances = sizedLoop{kernels.NewInitDistancesLoop(&keeping, s.f[next], s.f[now], s.f[stage1]), n}
	s.loops.initDistances = sizedLoop{kernels.NewInitDistancesLoop(&sweeping, s.f[next], s.f[now], s.f[stage1]), n}
	s.loops.markBricks = sizedLoop{kernels.NewMarkBrickLoop(&s.bricks), n}
	for k, from := range sweepsFrom {
		s.loops.sweep[k] = sizedLoop{kernels.NewSweepLoop(&sweeping, s.f[from], s.f[sweepsFrom[1-k]]), n}
	}
	relaxation := &kernels.Relaxation[F]{Lattice: *l, Step: F(shortest / 2), Band: sweeping.Band, Start: s.f[next]}
	for n, stage := range relaxStages {
		s.loops.relax[n] = overBox(kernels.NewRelaxLoop(box, relaxation, &s.limits[0], F(stage.weight), s.f[now],
			s.f[stage.from], s.f[stage.to]), box)
	}
	if s.cfg.Particles > 0 {
		withGhosts, domain := s.owned(1), s.domain()
		for n := range s.loops.applyBounds {
			s.loops.applyBounds[n] = overBox(kernels.NewApplyBoundsLoop(withGhosts, l, domain, s.bounds, s.f[n]), withGhosts)
		}
	}
	sampling := &kernels.Sampling[F]{Lattice: *l, Points: int32(samples(s.block.Grid.Dim)),
		GridCells: [2]int64{int64(s.block.Grid.N[0]), int64(s.block.Grid.N[1])}}
	s.loops.countInside = overBox(kernels.NewCountInsideLoop(box, sampling, s.f[now], s.start, &s.counts[0]), box)
	s.loops.slopeError = overBox(kernels.NewSlopeErrorLoop(box, l, sweeping.Band/2, s.f[now], &s.slope[0]), box)
}

// sweepsFrom are the two level sets between which sweeps alternate.
var sweepsFrom = [2]int{now, stage1}

// rkStage is a stage of Shu and Osher's third-order Runge–Kutta method.
type rkStage struct {
	weight   float64
	from, to int
}

// Advection goes from now to next; a pseudo-time step of the relaxation begins and ends with now.
var (
	advectionStages = [3]rkStage{{1, now, stage1}, {1. / 4, stage1, stage2}, {2. / 3, stage2, next}}
	relaxStages     = [3]rkStage{{1, now, stage1}, {1. / 4, stage1, stage2}, {2. / 3, stage2, now}}
)

// spacings returns the shortest and the longest side of a cell.
func (s *solver[F]) spacings() (shortest, longest float64) {
	g := s.block.Grid
	shortest, longest = g.Spacing(0), g.Spacing(0)
	for d := range g.Dim {
		shortest, longest = min(shortest, g.Spacing(d)), max(longest, g.Spacing(d))
	}
	return shortest, longest
}

func (s *solver[F]) longest() float64 {
	_, longest := s.spacings()
	return longest
}

// domain returns the region of the block's particles.
func (s *solver[F]) domain() *kernels.Domain {
	b := s.block
	d := &kernels.Domain{Periodic: b.Grid.Periodic, Dim: int32(b.Grid.Dim)}
	for a := range 3 {
		d.Cells[a] = int32(b.Grid.N[a])
		d.Lo[a], d.Hi[a] = int32(b.Lo[a]), int32(b.Lo[a]+b.N[a])
		if a < b.Grid.Dim && b.Lo[a] == 0 && !b.Grid.Periodic[a] {
			d.Lo[a] = -1
		}
	}
	return d
}

// correction returns the parameters for correcting a level set.
func (s *solver[F]) correction(field int) *kernels.Correction[F] {
	return &kernels.Correction[F]{Lattice: s.lattice, Escape: F(s.cfg.Escape), Phi: s.f[field]}
}
