package vof

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
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

// widenGhosts gives the block deepGhosts layers of ghosts, for one exchange a cycle, if all ranks use tiles and no
// block is thinner than these layers. It returns the halo plan for the ghosts of the block.
func (s *solver[F]) widenGhosts(ctx context.Context, plan *halo.BoxPlan) (*halo.BoxPlan, error) {
	b := s.block
	tiledBox := abi.Box{Hi: b.N}
	for axis := range b.Grid.Dim {
		open := b.HasNeighbours(axis)
		if open[0] {
			tiledBox.Lo[axis] -= deepGhosts
		}
		if open[1] {
			tiledBox.Hi[axis] += deepGhosts
		}
	}
	if !s.cfg.mayDeepen(b.Grid.Dim) || s.comm.Size() == 1 && tiledBox == (abi.Box{Hi: b.N}) {
		return plan, nil
	}
	deep, thin := plan.WithLayers(s.cfg.deepLayers(), deepGhosts, halo.AxisByAxis)
	if s.cfg.Exchange == "steps" && thin != nil {
		return nil, thin
	}
	allCanDeepen := []float64{1}
	if s.traversal != byTiles || thin != nil {
		allCanDeepen[0] = 0
	}
	if err := s.comm.AllreduceFloat64(ctx, dist.Min, allCanDeepen); err != nil || allCanDeepen[0] == 0 {
		return plan, err
	}
	block, err := b.Grid.Block(b.Lo, b.N, s.cfg.deepLayers())
	if err != nil {
		return nil, err
	}
	s.block, s.period = block, byCycle
	s.coverWithTiles(tiledBox)
	return deep, nil
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

// ghostTiles lists the tiles with deep ghosts.
func (w *schedule) ghostTiles(b *grid.Block) (tiles []int32) {
	if w.period != byCycle {
		return nil
	}
	for t := range w.count {
		x, y := w.tiledBox.Lo[0]+t%w.tilesAlong[0]*kernels.TileX, w.tiledBox.Lo[1]+t/w.tilesAlong[0]*kernels.TileY
		if x < 0 || y < 0 || min(x+kernels.TileX, w.tiledBox.Hi[0]) > b.N[0] ||
			min(y+kernels.TileY, w.tiledBox.Hi[1]) > b.N[1] {
			tiles = append(tiles, int32(t))
		}
	}
	return tiles
}

// ghostTileLoop prepares the update of the tiles with deep ghosts after an exchange.
func (a *arrays[F]) ghostTileLoop(b *grid.Block, cfg Config, w *schedule) indexedLoop {
	g := &kernels.TileGhosts[F]{Lattice: w.lattice(b), N: w.tiledCells(),
		Tiles: [2]int32{int32(w.tilesAlong[0]), int32(w.tilesAlong[1])}, Method: cfg.methods()[0],
		RoundOff: roundOff[F](), F: a.fields[0],
		Second: a.fields[1], Kinds: a.kinds[0], Others: a.kinds[1],
		Order: a.ghostTiles}
	return wholeLoop(kernels.NewRefreshGhostTileLoop(g), len(a.ghostTiles))
}

// beginStep updates the ghosts of the current field if an exchange is due before this step of the cycle.
func (s *solver[F]) beginStep(ctx context.Context, step int) error {
	if s.period == byCycle && step > 0 {
		return nil
	}
	if err := s.refreshGhosts(ctx); err != nil {
		return err
	}
	s.run(s.refreshTiles)
	s.lap(inHalo)
	return nil
}
