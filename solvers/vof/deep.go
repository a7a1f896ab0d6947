package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// deepGhosts is the number of layers for one exchange a cycle. In each step invalid values spread inward from the
// edge of the ghosts by TileReach cells; they reach the block's own cells when the next exchange is due. Tiles
// without a nearby interface are skipped there too.
const deepGhosts = cycleLength * kernels.TileReach

// widenGhosts deepens the ghosts of the block for one exchange a cycle, if all ranks use tiles and no block is
// thinner than that.
func (s *solver[F]) widenGhosts(ctx context.Context, plan *halo.BoxPlan) (*halo.BoxPlan, error) {
	b := s.block
	frame := abi.Box{Hi: b.N}
	for axis := range b.Grid.Dim {
		open := b.HasNeighbours(axis)
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
	// One more face: the last cell of the frame needs an upper one.
	deep, thin := plan.WithLayers(deepGhosts+1, deepGhosts, halo.AxisByAxis)
	if s.cfg.Exchange == "steps" && thin != nil {
		return nil, thin
	}
	possible := []float64{1}
	if s.traversal != byTiles || thin != nil {
		possible[0] = 0
	}
	if err := s.comm.AllreduceFloat64(ctx, dist.Min, possible); err != nil || possible[0] == 0 {
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

// mayDeepen reports whether deep ghosts are requested or left to the solver to choose.
func (c Config) mayDeepen(dim int) bool {
	return dim == 2 && c.wide(dim) && c.Exchange != "step" && c.Sweep != "cells"
}

// ghostTiles lists the tiles with deep ghosts.
func (w *schedule) ghostTiles(b *grid.Block) (tiles []int32) {
	if w.period != byCycle {
		return nil
	}
	for t := range w.count {
		x, y := w.frame.Lo[0]+t%w.tiles[0]*kernels.TileX, w.frame.Lo[1]+t/w.tiles[0]*kernels.TileY
		if x < 0 || y < 0 || min(x+kernels.TileX, w.frame.Hi[0]) > b.N[0] || min(y+kernels.TileY, w.frame.Hi[1]) > b.N[1] {
			tiles = append(tiles, int32(t))
		}
	}
	return tiles
}

// ghostTileLoop prepares the update of the tiles with deep ghosts after an exchange.
func (a *arrays[F]) ghostTileLoop(b *grid.Block, cfg Config, w *schedule) kernelOver {
	g := &kernels.TileGhosts[F]{Lattice: w.lattice(b), N: w.covered(),
		Tiles: [2]int32{int32(w.tiles[0]), int32(w.tiles[1])}, Sweep: cfg.kinds()[0], RoundOff: roundOff[F](), F: a.fields[0],
		Second: a.fields[1], Kinds: a.kinds[0], Others: a.kinds[1],
		Order: a.ghostTiles}
	return kernelOver{kernels.NewRefreshGhostTileLoop(g), len(a.ghostTiles)}
}

// beginStep updates the ghosts, if they are due at this step of the cycle.
func (s *solver[F]) beginStep(ctx context.Context, step int) error {
	if s.period == byCycle && step > 0 {
		return nil
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	s.run(s.refreshTiles)
	s.lap(inHalo)
	return nil
}
