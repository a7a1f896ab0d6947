package vof

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// haloTag is the message tag of exchanges.
const haloTag = 1

// connectHalo prepares the exchange of each field, for which sweeps wait, and of which output needs some.
func (s *rank[F]) connectHalo(ctx context.Context, plan *halo.BoxPlan) error {
	if nx, ny, nz := s.block.Shape(); plan.Shape != [3]int{nx, ny, nz} || plan.Rank != s.Env().Comm.Rank() {
		return fmt.Errorf("the halo plan is of rank %d and arrays of %v cells, the block of rank %d and arrays of %v",
			plan.Rank, plan.Shape, s.Env().Comm.Rank(), [3]int{nx, ny, nz})
	}
	ghosts := s.BoxGhosts(plan, haloTag)
	for _, f := range s.fields {
		x, err := ghosts.Of(ctx, f)
		if err != nil {
			return err
		}
		s.exchanges = append(s.exchanges, x)
	}
	return nil
}

// showGhosts updates the ghosts of the state before step k of the cycle, including those beyond walls; of deep ghosts
// the inner ones. Steps keep the others up to date.
func (s *rank[F]) showGhosts(p *engine.Program, k int) {
	if k == 0 && s.period == byCycle {
		p.Refresh(s.exchanges[0])
	}
	p.Run(s.allWalls(s.stateBefore(k)))
}

// fillGhosts updates the ghosts of the present state, including those beyond walls.
func (s *rank[F]) fillGhosts(ctx context.Context) error {
	return s.show[s.Clock().Steps%cycleLength](ctx)
}

// allWalls fills all ghosts of field n beyond walls.
func (s *rank[F]) allWalls(n int) engine.Task {
	return engine.Whole(kernels.NewFillWallLoop(s.wallCells.Data, s.wallGhosts.Data, s.fields[n].Data),
		len(s.wallGhosts.Data))
}

// wallTask fills the ghosts beyond walls that sweep n reads.
func (s *stepper[F]) wallTask(n int) engine.Task {
	if s.band != nil {
		return s.band.Walls(n)
	}
	return s.allWalls(n)
}

// splitBoundary divides a block into its boundary, the boxes of cells that other ranks need, as deep as the ghosts, and
// its core. If no other rank takes part in exchanges, or if the block is thin, the boundary is the whole block: then
// nothing is computed while messages are in transit.
func (w *schedule) splitBoundary(b *grid.Block) (boundary []abi.Box, core abi.Box) {
	core = abi.Box{Hi: b.N}
	for axis := b.Grid.Dim - 1; axis >= 0; axis-- { // strips across the last axis have long rows
		for side, open := range b.HasNeighbours(axis) {
			strip := core
			if !open {
				continue
			}
			if side == 0 {
				core.Lo[axis] += b.Ghost
				strip.Hi[axis] = core.Lo[axis]
			} else {
				core.Hi[axis] -= b.Ghost
				strip.Lo[axis] = core.Hi[axis]
			}
			boundary = append(boundary, strip)
		}
		if core.Lo[axis] >= core.Hi[axis] || w.alone {
			return []abi.Box{{Hi: b.N}}, abi.Box{}
		}
	}
	return boundary, core
}

// hasNoOtherRank reports whether a plan has no messages to other ranks.
func hasNoOtherRank(plan *halo.BoxPlan) bool {
	for _, r := range plan.Phases {
		for _, p := range r.Peers {
			if p.Rank != plan.Rank {
				return false
			}
		}
	}
	return true
}
