package vof

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// haloTag is the message tag of exchanges.
const haloTag = 1

// connectHalo sets up the exchange of the block's fields.
func (s *solver[F]) connectHalo(ctx context.Context, plan *halo.BoxPlan) (err error) {
	if nx, ny, nz := s.block.Shape(); plan.Shape != [3]int{nx, ny, nz} || plan.Rank != s.comm.Rank() {
		return fmt.Errorf("the halo plan is of rank %d and arrays of %v cells, the block of rank %d and arrays of %v",
			plan.Rank, plan.Shape, s.comm.Rank(), [3]int{nx, ny, nz})
	}
	s.ghosts, err = halo.ConnectBox[F](ctx, plan, s.comm, s.dev, haloTag, s.cfg.Halo)
	if linked, ok := s.ghosts.(halo.DeviceGhostExchanger[F]); ok {
		s.fork = linked.Fork
	}
	return err
}

func (s *solver[F]) Halo() string { return s.ghosts.Kind() }

// exchange updates the ghosts that other ranks or periodic images own.
func (s *solver[F]) exchange(ctx context.Context, f []F) error {
	return halo.Exchange(ctx, s.ghosts, f)
}

// refreshGhosts updates the ghosts of the current field unless they are up to date.
func (s *solver[F]) refreshGhosts(ctx context.Context) error {
	if s.ghostsCurrent {
		return nil
	}
	s.ghostsCurrent = s.period != byCycle
	return s.exchange(ctx, s.fields[s.currentField()])
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

// lattice describes the layout of a block's arrays for the kernels.
func lattice(b *grid.Block) kernels.Lattice {
	_, sy, sz := b.Strides()
	return kernels.Lattice{Origin: int32(b.Index(0, 0, 0)), SY: int32(sy), SZ: int32(sz)}
}
