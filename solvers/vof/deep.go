package vof

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// deepGhosts is the number of ghost layers if they are exchanged once a cycle. In each step outdated values spread
// inward from the edge of the ghosts by TileReach cells; at the end of a cycle they reach the block's own cells. Before
// the last step of a cycle as many layers are still up to date as output needs.
const deepGhosts = cycleLength * kernels.TileReach

var _ = [kernels.TileReach - heightGhosts + 1]struct{}{} // compiles only if that is so

// deepLayers returns the number of ghost layers of arrays with deep ghosts. They include the upper faces of the last
// cells that tiles cover; the Lagrangian method also reads those of the donors next to these.
func (c Config) deepLayers() int {
	if c.methods()[1] == kernels.Lagrangian {
		return deepGhosts + 2
	}
	return deepGhosts + 1
}

// deepBlock returns a block with deep ghosts, and the box of its cells that tiles cover.
func (c Config) deepBlock(b *grid.Block) (block *grid.Block, tiledBox abi.Box, err error) {
	tiledBox = abi.Box{Hi: b.N}
	for axis := range b.Grid.Dim {
		open := b.HasNeighbours(axis)
		if open[0] {
			tiledBox.Lo[axis] -= deepGhosts
		}
		if open[1] {
			tiledBox.Hi[axis] += deepGhosts
		}
	}
	block, err = b.Grid.Block(b.Lo, b.N, c.deepLayers())
	return block, tiledBox, err
}

// deepen gives the block deepGhosts layers of ghosts, for one exchange a cycle, if all ranks use tiles and no block is
// thinner than these layers. It returns the block and its halo plan. All ranks call it.
func (w *schedule) deepen(ctx context.Context, c Config, comm dist.Comm, b *grid.Block,
	plan *halo.BoxPlan) (*grid.Block, *halo.BoxPlan, error) {
	if !c.mayDeepen(b.Grid.Dim) || comm.Size() == 1 && !hasNeighbours(b) {
		return b, plan, nil
	}
	deep, thin := plan.WithLayers(c.deepLayers(), deepGhosts, halo.AxisByAxis)
	if c.Exchange == "steps" && thin != nil {
		return nil, nil, thin
	}
	allCanDeepen := []float64{1}
	if w.traversal != byTiles || thin != nil {
		allCanDeepen[0] = 0
	}
	if err := comm.AllreduceFloat64(ctx, dist.Min, allCanDeepen); err != nil || allCanDeepen[0] == 0 {
		return b, plan, err
	}
	block, tiledBox, err := c.deepBlock(b)
	if err != nil {
		return nil, nil, err
	}
	w.period = byCycle
	w.coverWithTiles(tiledBox)
	return block, deep, nil
}

// hasNeighbours reports whether a block has neighbours: other blocks, or itself across a periodic boundary.
func hasNeighbours(b *grid.Block) bool {
	for axis := range b.Grid.Dim {
		if o := b.HasNeighbours(axis); o[0] || o[1] {
			return true
		}
	}
	return false
}

// CheckPlan returns an error if exchange "steps" needs deeper ghosts than the blocks of a plan can have.
func (c Config) CheckPlan(plan *halo.BoxPlan) error {
	if c.Exchange != "steps" {
		return nil
	}
	_, thin := plan.WithLayers(c.deepLayers(), deepGhosts, halo.AxisByAxis)
	if thin != nil {
		return fmt.Errorf(`exchange "steps" unavailable: %w`, thin)
	}
	return nil
}

// mayDeepen reports whether the configuration requests deep ghosts, or leaves the choice to the solver.
func (c Config) mayDeepen(dim int) bool {
	return dim == 2 && c.wideHalo(dim) && c.Exchange != "step" && c.Sweep != "cells"
}

// listGhostTiles lists the tiles with deep ghosts.
func (w *schedule) listGhostTiles(b *grid.Block) (tiles []int32) {
	for t := range w.listable {
		x, y := w.tiledBox.Lo[0]+t%w.tilesAlong[0]*kernels.TileX, w.tiledBox.Lo[1]+t/w.tilesAlong[0]*kernels.TileY
		if x < 0 || y < 0 || min(x+kernels.TileX, w.tiledBox.Hi[0]) > b.N[0] ||
			min(y+kernels.TileY, w.tiledBox.Hi[1]) > b.N[1] {
			tiles = append(tiles, int32(t))
		}
	}
	return tiles
}

// ghostTileTask updates the tiles with deep ghosts after an exchange.
func (s *stepper[F]) ghostTileTask() engine.Task {
	g := &kernels.TileGhosts[F]{Lattice: s.lattice(s.block), N: s.tiledCells(),
		Tiles:    [2]int32{int32(s.tilesAlong[0]), int32(s.tilesAlong[1])},
		RoundOff: plic.RoundOff[F](), F: s.fields[0].Data, Second: s.fields[1].Data, Kinds: s.kinds[0].Data,
		Others: s.kinds[1].Data, Order: s.ghostTiles.Data}
	return engine.Whole(kernels.NewRefreshGhostTileLoop(g), len(g.Order))
}
