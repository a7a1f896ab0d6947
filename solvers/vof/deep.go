package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// deepGhosts is how many layers a cycle takes. In each step invalid values spread from the edge of the ghosts by
// TileReach cells, and reach the block's own cells when the next exchange is due. Tiles far from an interface cost
// nothing there either.
const deepGhosts = cycleLength * kernels.TileReach

// widenGhosts makes the ghosts of the block as deep as a cycle takes, where all ranks go by tiles and no block is
// thinner
// than that.
func (s *solver[F]) widenGhosts(ctx context.Context, plan *halo.BoxPlan) (*halo.BoxPlan, error) {
	b := s.block
	frame := abi.Box{Hi: b.N}
	for axis := range b.Grid.Dim {
		open := b.Open(axis)
		if open[0] {
			frame.Lo[axis] -= deepGhosts
		}
		if open[1] {
			frame.Hi[axis] += deepGhosts
		}
	}
	if !s.cfg.mayDeepen(b.Grid.Dim) || s.comm.Size() == 1 && frame == (abi.Box{Hi: b.N}) {
		return plan, nil
	}
	// A face more, so that the last cell of the frame has an upper one.
	deep, thin := plan.Deeper(deepGhosts+1, deepGhosts, halo.AxisByAxis)
	if s.cfg.Exchange == "steps" && thin != nil {
		return nil, thin
	}
	can := []float64{1}
	if s.traversal != byTiles || thin != nil {
		can[0] = 0
	}
	if err := s.comm.AllreduceFloat64(ctx, dist.Min, can); err != nil || can[0] == 0 {
		return plan, err
	}
	block, err := b.Grid.Block(b.Lo, b.N, deepGhosts+1)
	if err != nil {
		return nil, err
	}
	s.block, s.period = block, byCycle
	s.layTiles(frame)
	return deep, nil
}

// mayDeepen tells whether deep ghosts are asked for, or left to the solver to choose.
func (c Config) mayDeepen(dim int) bool {
	return dim == 2 && c.wide(dim) && c.Exchange != "step" && c.Sweep != "cells"
}

// ghostTiles lists the tiles that hold deep ghosts.
func (w *schedule) ghostTiles(b *grid.Block) (tiles []int32) {
	if w.period != byCycle {
		return nil
	}
	for t := range w.parts {
		x, y := w.frame.Lo[0]+t%w.tiles[0]*kernels.TileX, w.frame.Lo[1]+t/w.tiles[0]*kernels.TileY
		if x < 0 || y < 0 || min(x+kernels.TileX, w.frame.Hi[0]) > b.N[0] || min(y+kernels.TileY, w.frame.Hi[1]) > b.N[1] {
			tiles = append(tiles, int32(t))
		}
	}
	return tiles
}

// ghostTileLoop prepares what brings the tiles of deep ghosts up to date after an exchange.
func (a *arrays[F]) ghostTileLoop(b *grid.Block, cfg Config, w *schedule) kernelOver {
	g := &kernels.TileGhosts[F]{Lattice: w.lattice(b), N: w.covered(),
		Tiles: [2]int32{int32(w.tiles[0]), int32(w.tiles[1])}, Sweep: cfg.kinds()[0], RoundOff: roundOff[F](), F: a.fields[0],
		Second: a.fields[1], Kinds: a.kinds[0], Others: a.kinds[1],
		Order: a.ghostTiles}
	return kernelOver{kernels.NewRefreshGhostTileLoop(g), len(a.ghostTiles)}
}

// beginStep brings the ghosts up to date with which the given step of a cycle begins.
func (s *solver[F]) beginStep(ctx context.Context, turn int) error {
	if s.period == byCycle && turn > 0 {
		return nil
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	s.run(s.refreshTiles)
	s.lap(inHalo)
	return nil
}
