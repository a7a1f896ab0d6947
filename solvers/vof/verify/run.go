package verify

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	velocity "github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// fluid describes a run of the solver.
type fluid struct {
	grid   *grid.Grid
	body   shape.Body
	levels int // of recursive division; negative for quadrature
	flow   string
	period float64
	cfg    vof.Config
}

// unit is the unit square or cube with n cells along each axis.
func unit(dim, n int) *grid.Grid {
	g := &grid.Grid{Dim: dim, N: [3]int{n, n, 1}, Hi: [3]float64{1, 1, 0}}
	if dim == 3 {
		g.N[2], g.Hi[2] = n, 1
	}
	return g
}

// result is the result of a run: the diagnostics at the end, but the largest VolumeDrift and BoundExcess of 40
// measurements during the run.
type result struct {
	vof.Diagnostics
	steps int
	hash  string
}

// runOn makes a run on several ranks.
func runOn(ctx context.Context, p *verify.Page, r fluid, ranks int, end float64) (result, error) {
	return local.Each(ranks, func(comm dist.Comm) (result, error) {
		threads := p.Options.Threads
		if ranks > 1 {
			threads = 1
		}
		dev := cpu.New(threads)
		defer dev.Close()
		return r.runRank(ctx, comm, dev, end)
	})
}

// runRank is runOn on one of the ranks.
func (r *fluid) runRank(ctx context.Context, comm dist.Comm, dev *cpu.Device, end float64) (result, error) {
	ghost := r.cfg.Ghosts(r.grid.Dim)
	parts, err := partition.Blocks(r.grid.N, r.grid.Dim, comm.Size(), [3]int{})
	if err != nil {
		return result{}, err
	}
	lo, n := partition.Box(r.grid.N, parts, comm.Rank())
	b, err := r.grid.Block(lo, n, ghost)
	if err != nil {
		return result{}, err
	}
	boxes := halo.Boxes{Dim: r.grid.Dim, Cuts: partition.BoxCuts(r.grid.N, parts), Periodic: r.grid.Periodic}
	plan, err := halo.NewBoxPlan(boxes, comm.Rank(), ghost, [3]int{ghost, ghost, ghost}, halo.AxisByAxis)
	if err != nil {
		return result{}, err
	}
	v, err := velocity.Named(r.flow, r.grid, r.period)
	if err != nil {
		return result{}, err
	}
	f, err := shape.Fill(ctx, b, r.body, r.levels, true)
	if err != nil {
		return result{}, err
	}
	s, err := vof.New(ctx, solvers.Env{Comm: comm, Device: dev}, "float64", r.cfg,
		vof.Setting{Block: &domain.Block{Block: b, Boxes: boxes, Plan: plan}, Flow: v, Start: f})
	if err != nil {
		return result{}, err
	}
	defer s.Close()
	var last result
	drift, excess, next := 0.0, 0.0, 0.0
	for s.Clock().Time < end {
		if _, err := s.Advance(ctx, end, 0, 1); err != nil {
			return result{}, err
		}
		if now := s.Clock().Time; now >= next || now >= end {
			next += end / 40
			if last.Diagnostics, err = vof.Diagnose(ctx, s); err != nil {
				return result{}, err
			}
			drift, excess = max(drift, math.Abs(last.VolumeDrift)), max(excess, last.BoundExcess)
		}
	}
	last.VolumeDrift, last.BoundExcess, last.steps = drift, excess, s.Clock().Steps
	last.hash, err = solvers.Hash(ctx, comm, s)
	return last, err
}
