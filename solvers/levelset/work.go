package levelset

import (
	"context"
	"unsafe"

	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/balance"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Work is what parts of a step take, in ns of a core: measured on a Xeon of 2.8 GHz in float64.
type Work struct {
	Cell     int64 // of each cell
	Active   int64 // in addition, of each cell of an active brick, if reinitialisation sweeps
	Particle int64 // of each particle
}

// Work returns what parts of a step take in dim dimensions.
func (c Config) Work(dim int) Work {
	w := Work{Cell: 20, Particle: 100}
	if c.Advect == "semi-lagrangian" {
		w.Cell = 45
	}
	switch c.Reinit {
	case "sweep":
		w.Cell += 10
		w.Active = 30 * int64(c.sweeps(dim))
	case "weno":
		w.Cell += 10 * int64(c.Iterations)
	}
	return w
}

// workload counts the work of a solver's block.
type workload[F num.Float] struct{ *solver[F] }

// Workload returns what counts the work of the block.
func (s *solver[F]) Workload() balance.Model { return workload[F]{s} }

// activeBricks calls f with the cells of each brick that reinitialisation computes. They depend on the state alone, not
// on the step before, so that a run that continues finds the same.
func (l workload[F]) activeBricks(ctx context.Context, f func(lo, hi [3]int)) error {
	if l.cfg.Reinit != "sweep" {
		return nil
	}
	if err := l.findBricks(ctx); err != nil {
		return err
	}
	active, err := l.active.Host()
	if err != nil {
		return err
	}
	b, count := l.block, kernels.CountBricks(l.block.N)
	for t, is := range active {
		if is == 0 {
			continue
		}
		nx, ny := int(count[0]), int(count[1])
		lo := [3]int{t % nx, t / nx % ny, t / nx / ny}
		var hi [3]int
		for d := range lo {
			lo[d] *= kernels.BrickSide
			hi[d] = min(lo[d]+kernels.BrickSide, b.N[d]) + b.Lo[d]
			lo[d] += b.Lo[d]
		}
		f(lo, hi)
	}
	return nil
}

// findBricks determines which bricks are active in the present state. It overwrites arrays that steps begin without.
func (l workload[F]) findBricks(ctx context.Context) error {
	sweeping := l.sweeping()
	return l.Do(ctx, func(p *engine.Program) {
		p.Run(engine.Whole(kernels.NewInitDistancesLoop(&sweeping, l.f[now].Data, l.f[stage1].Data, l.f[stage2].Data),
			brickCount(l.block)), l.markBricks())
	})
}

// Work implements balance.Model.
func (l workload[F]) Work(ctx context.Context) (int64, error) {
	if l.swarm != nil {
		if err := l.swarm.dropRemoved(); err != nil {
			return 0, err
		}
	}
	w := l.cfg.Work(l.block.Grid.Dim)
	work := w.Cell*int64(l.block.Cells()) + w.Particle*l.ParticleCount()
	err := l.activeBricks(ctx, func(lo, hi [3]int) {
		work += w.Active * int64((hi[0]-lo[0])*(hi[1]-lo[1])*(hi[2]-lo[2]))
	})
	return work, err
}

// AddWork implements balance.Model. Work has dropped removed particles.
func (l workload[F]) AddWork(ctx context.Context, to *partition.Bins) error {
	w, b := l.cfg.Work(l.block.Grid.Dim), l.block
	to.AddBox(w.Cell, b.Lo, [3]int{b.Lo[0] + b.N[0], b.Lo[1] + b.N[1], b.Lo[2] + b.N[2]})
	if err := l.activeBricks(ctx, func(lo, hi [3]int) { to.AddBox(w.Active, lo, hi) }); err != nil || l.swarm == nil {
		return err
	}
	p, err := l.swarm.p[l.swarm.current].HostPart(l.swarm.set.Count)
	for i := range p {
		*to.At(l.cellOf(&p[i])) += w.Particle
	}
	return err
}

// Carried implements balance.Model: the initial level set.
func (l workload[F]) Carried() ([]solvers.Field, error) {
	return []solvers.Field{{Name: carriedStart, Space: l.Fields()[0].Space,
		View: func() solvers.View { return solvers.BlockView(l.Env().Device, l.start.Data, l.block) }}}, nil
}

const carriedStart = "start"

// CellOf implements balance.Model: the cell that is the lowest corner of a particle's dual cell, or the nearest to
// that.
func (l workload[F]) CellOf(entity []byte) [3]int {
	var p kernels.Particle[F]
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&p)), unsafe.Sizeof(p)), entity)
	return l.cellOf(&p)
}

// cellOf returns the cell that owns a particle.
func (l workload[F]) cellOf(p *kernels.Particle[F]) (cell [3]int) {
	g := l.block.Grid
	for d, x := range [3]F{p.X, p.Y, p.Z} {
		if x > 0 && d < g.Dim {
			cell[d] = min(int(x), g.N[d]-1)
		}
	}
	return cell
}
