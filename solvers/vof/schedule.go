package vof

import (
	"fmt"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// schedule is how a rank takes steps: what a kernel traverses at a time (traversal), and how often ghosts are exchanged
// (period). Config.chooseSchedule chooses both, from Config.Exchange and Config.Sweep, whose default is "auto"; then
// deepen may change the period to byCycle. The period is
//
//	bySweep    if exchange is "sweep", or "auto" in space or for the normal "height"
//	byStep     otherwise, except byCycle
//	byCycle    by tiles, in blocks with neighbours, if exchange is "steps", or if it is "auto", all ranks go by tiles,
//	           and no block is thinner than deepGhosts
//
// and the traversal is
//
//	byTiles    if sweep is "tiles", if exchange is "steps", or, on a device with separate memory, if sweep is "auto" and
//	           the block has minTiledCells (a quarter of these if it has neighbours); but only in the plane, not for the
//	           normal "height", and with the period bySweep only in a block without neighbours
//	byBricks   in space, on a device with separate memory, with the period bySweep, unless sweep is "cells"
//	byCells    otherwise
type schedule struct {
	traversal     traversal
	period        period
	costlyNormals bool // of ELVIRA or LVIRA: planes are computed once and stored, by tiles in the fine variant
	tilesAlong    [2]int
	listable      int  // number of tiles or bricks, of which a list has the active ones; 0 by cells
	alone         bool // no other rank takes part in an exchange
	wallsByBrick  bool // before a sweep only ghosts beside active bricks are filled
	narrowBand    bool // sweeps go over the cells of a narrow band

	tiledBox abi.Box // cells that the tiles cover
}

// traversal is what a kernel of a step takes at a time.
type traversal int

const (
	byCells  traversal = iota // a sweep over the cells of boxes; in the host's memory, over those in the narrow band
	byTiles                   // both sweeps of a step over tiles of the plane
	byBricks                  // a sweep over bricks of cells in space
)

// period is how often ghosts are exchanged.
type period int

const (
	bySweep period = iota // after each sweep, of its result
	byStep                // once a step: sweeps go over boxes that shrink to the block
	byCycle               // once in cycleLength steps: tiles go over ghosts too
)

// chooseSchedule chooses the schedule. separate is true for a device with separate memory.
func (c Config) chooseSchedule(b *grid.Block, separate bool) (w schedule, err error) {
	w.costlyNormals = c.Normal == "elvira" || c.Normal == "lvira"
	if c.wideHalo(b.Grid.Dim) {
		w.period = byStep
	}
	if separate && b.Grid.Dim == 3 && w.period == bySweep && c.Sweep != "cells" {
		w.traversal = byBricks
	}
	isolated := true // all sides are walls
	for axis := range b.Grid.Dim {
		for _, open := range b.HasNeighbours(axis) {
			isolated = isolated && !open
		}
	}
	reason := ""
	switch {
	case b.Grid.Dim == 3:
		reason = "tiles are for the plane"
	case c.Normal == "height":
		reason = "heights reach too far for tiles"
	case !isolated && w.period == bySweep:
		reason = `tiles need exchange "step" or "steps" in a block with neighbours`
	}
	if c.Sweep == "tiles" && reason != "" {
		return w, fmt.Errorf("sweep \"tiles\" unavailable: %s", reason)
	}
	if c.Exchange == "steps" && c.Sweep == "cells" {
		reason = "it needs tiles"
	}
	if c.Exchange == "steps" && reason != "" {
		return w, fmt.Errorf("exchange \"steps\" unavailable: %s", reason)
	}
	minCells := minTiledCells
	if !isolated {
		minCells /= 4 // tiles exchange once in many steps
	}
	if c.Sweep == "tiles" || c.Exchange == "steps" ||
		c.Sweep != "cells" && separate && reason == "" && b.Cells() >= minCells {
		w.traversal = byTiles
		w.coverWithTiles(abi.Box{Hi: b.N})
	}
	if w.traversal == byBricks {
		n := kernels.CountBricks(b.N)
		w.listable = n[0] * n[1] * n[2]
		w.wallsByBrick = b.Cells() >= minCellsForBrickWalls
	}
	w.narrowBand = w.traversal == byCells && !separate
	return w, nil
}

// names returns how often ghosts are exchanged (before each sweep, once a step, or once in several steps), and what a
// step traverses: cells, tiles or bricks.
func (w *schedule) names() (exchange, sweep string) {
	return [...]string{"sweep", "step", "steps"}[w.period], [...]string{"cells", "tiles", "bricks"}[w.traversal]
}

// coverWithTiles covers a box of cells with tiles.
func (w *schedule) coverWithTiles(box abi.Box) {
	w.tiledBox = box
	nx, ny := box.Hi[0]-box.Lo[0], box.Hi[1]-box.Lo[1]
	w.tilesAlong = [2]int{(nx + kernels.TileX - 1) / kernels.TileX, (ny + kernels.TileY - 1) / kernels.TileY}
	w.listable = w.tilesAlong[0] * w.tilesAlong[1]
}

// minCellsForBrickWalls is the number of cells of a block from which ghosts are filled by brick: in smaller blocks all
// ghosts take no longer than those of one brick. It is a variable for tests.
var minCellsForBrickWalls = 4 << 20

// minTiledCells is the number of cells of a block from which tiles are the default. In smaller blocks the time of a
// step on a GPU is the latency of one tile.
const minTiledCells = 2 << 20

// widenedBox returns the box of sweep n of step k, including the ghosts that later sweeps of the step read.
func (c Config) widenedBox(b *grid.Block, k, n int) abi.Box {
	along, across := c.reach()
	box := abi.Box{Hi: b.N}
	for laterSweep := n + 1; laterSweep < b.Grid.Dim; laterSweep++ {
		for axis := range b.Grid.Dim {
			layers := across
			if axis == (k+laterSweep)%b.Grid.Dim {
				layers = along
			}
			open := b.HasNeighbours(axis)
			if open[0] {
				box.Lo[axis] -= layers
			}
			if open[1] {
				box.Hi[axis] += layers
			}
		}
	}
	return box
}

// lattice describes the layout of a block's arrays relative to the first cell that tiles cover.
func (w *schedule) lattice(b *grid.Block) kernels.Lattice {
	l := plic.Lattice(b)
	l.Origin = int32(b.Index(w.tiledBox.Lo[0], w.tiledBox.Lo[1], 0))
	return l
}

// tiledCells returns the number of cells that tiles cover along each axis.
func (w *schedule) tiledCells() [2]int32 {
	return [2]int32{int32(w.tiledBox.Hi[0] - w.tiledBox.Lo[0]), int32(w.tiledBox.Hi[1] - w.tiledBox.Lo[1])}
}

// ghostReach returns, by axis and side (lower, upper), how many layers of ghosts tiles may read beyond the cells that
// they cover. There are none at walls, nor with deep ghosts, which tiles cover.
func (w *schedule) ghostReach(b *grid.Block) (reach [2][2]int32) {
	if w.period == byCycle {
		return reach
	}
	for axis := range 2 {
		for side, open := range b.HasNeighbours(axis) {
			if open {
				reach[axis][side] = kernels.TileReach
			}
		}
	}
	return reach
}

// methods returns the advection methods of the sweeps of a step.
func (c Config) methods() [2]int32 {
	if c.Advect == "ei-le" {
		return [2]int32{kernels.Eulerian, kernels.Lagrangian}
	}
	return [2]int32{kernels.WeymouthYue, kernels.WeymouthYue}
}
