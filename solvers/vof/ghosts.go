package vof

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// haloTag keeps the exchanges apart from other messages.
const haloTag = 1

// connect prepares the exchange of a block's fields.
func (s *solver[F]) connect(ctx context.Context, plan *halo.BoxPlan) (err error) {
	if nx, ny, nz := s.block.Shape(); plan.Shape != [3]int{nx, ny, nz} || plan.Rank != s.comm.Rank() {
		return fmt.Errorf("the halo plan is of rank %d and arrays of %v cells, the block of rank %d and arrays of %v",
			plan.Rank, plan.Shape, s.comm.Rank(), [3]int{nx, ny, nz})
	}
	if s.comm.Size() > 1 && (s.cfg.Halo == "nccl" || s.cfg.Halo != "staged" && s.apart) {
		at, err := plan.By(halo.AtOnce) // what a message costs hardly depends on its length
		if err != nil {
			return err
		}
		ghosts, why, err := halo.NewBoxLinked[F](ctx, at, s.comm, s.dev)
		if err != nil {
			return err
		}
		if ghosts != nil {
			s.ghosts, s.beside = ghosts, ghosts.Beside
			return nil
		}
		if s.cfg.Halo == "nccl" {
			return fmt.Errorf("halo nccl cannot be: %s", why)
		}
	}
	if s.apart {
		s.ghosts, err = halo.NewBoxStaged[F](plan, s.comm, s.dev, haloTag)
		return err
	}
	s.ghosts = halo.NewBoxDirect[F](plan, s.comm, haloTag)
	return nil
}

func (s *solver[F]) Halo() string {
	switch {
	case s.beside != nil:
		return "nccl"
	case s.apart:
		return "staged"
	}
	return "direct"
}

// exchange brings the ghosts that others own up to date.
func (s *solver[F]) exchange(ctx context.Context, f []F) error {
	if err := s.ghosts.Start(ctx, f); err != nil {
		return err
	}
	if err := s.ghosts.Send(ctx); err != nil {
		return err
	}
	return s.ghosts.Finish(ctx)
}

// refresh makes the ghosts those of now.
func (s *solver[F]) refresh(ctx context.Context) error {
	if s.fresh {
		return nil
	}
	s.fresh = !s.deep
	return s.exchange(ctx, s.fields[s.now()])
}

// rimFirst divides a block into boxes near open sides, as deep as ghosts, whose cells others need, and the rest. A rank
// that is alone, and a block that is thin, leaves it whole: there is nothing to do while messages travel.
func (w *ways) rimFirst(b *grid.Block) (rim []abi.Box, inner abi.Box) {
	inner = abi.Box{Hi: b.N}
	for axis := b.Grid.Dim - 1; axis >= 0; axis-- { // strips across the last axis have long rows
		for side, open := range b.Open(axis) {
			strip := inner
			if !open {
				continue
			}
			if side == 0 {
				inner.Lo[axis] += b.Ghost
				strip.Hi[axis] = inner.Lo[axis]
			} else {
				inner.Hi[axis] -= b.Ghost
				strip.Lo[axis] = inner.Hi[axis]
			}
			rim = append(rim, strip)
		}
		if inner.Lo[axis] >= inner.Hi[axis] || w.alone {
			return []abi.Box{{Hi: b.N}}, abi.Box{}
		}
	}
	return rim, inner
}

// alone tells that a plan has no other rank.
func alone(plan *halo.BoxPlan) bool {
	for _, r := range plan.Rounds {
		for _, p := range r.Peers {
			if p.Rank != plan.Rank {
				return false
			}
		}
	}
	return true
}

// lattice is the layout of a block's arrays for the kernels.
func lattice(b *grid.Block) kernels.Lattice {
	_, sy, sz := b.Strides()
	return kernels.Lattice{Origin: int32(b.Index(0, 0, 0)), SY: int32(sy), SZ: int32(sz)}
}
