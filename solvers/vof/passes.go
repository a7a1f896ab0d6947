package vof

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// schedule is how a rank takes steps: what a kernel traverses at a time (traversal), and how often ghosts are exchanged
// (period). Config.chooseSchedule chooses both, from Config.Exchange and Config.Sweep, whose default is "auto"; then
// widenGhosts may change the period to byCycle. The period is
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
	count         int  // number of tiles or bricks
	alone         bool // no other rank takes part in an exchange
	wallsByBrick  bool // before a sweep only ghosts beside active bricks are filled

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
	bySweep period = iota // before each sweep
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
		w.count = n[0] * n[1] * n[2]
		w.wallsByBrick = b.Cells() >= minCellsForBrickWalls
	}
	return w, nil
}

// coverWithTiles covers a box of cells with tiles.
func (w *schedule) coverWithTiles(box abi.Box) {
	w.tiledBox = box
	nx, ny := box.Hi[0]-box.Lo[0], box.Hi[1]-box.Lo[1]
	w.tilesAlong = [2]int{(nx + kernels.TileX - 1) / kernels.TileX, (ny + kernels.TileY - 1) / kernels.TileY}
	w.count = w.tilesAlong[0] * w.tilesAlong[1]
}

// minCellsForBrickWalls is the number of cells of a block from which ghosts are filled by brick: in smaller blocks all
// ghosts take no longer than those of one brick. It is a variable for tests.
var minCellsForBrickWalls = 4 << 20

// minTiledCells is the number of cells of a block from which tiles are the default. In smaller blocks the time of a
// step on a GPU is the latency of one tile.
const minTiledCells = 2 << 20

// pass has the loops of a sweep, or with tiles of a whole step.
type pass[F num.Float] struct {
	walls       indexedLoop   // fills the ghosts beyond walls; empty with tiles; not used with a narrow band
	reconstruct indexedLoop   // computes the planes, if they are stored
	boundary    []indexedLoop // loops over cells that other ranks need; with tiles, over all cells
	core        indexedLoop   // the remaining cells; empty with tiles
	exchanged   []F           // the field whose ghosts are exchanged after boundary, or nil
}

// newPasses makes the passes of step k of a cycle, over a list of tiles or bricks if the schedule has them.
func (a *arrays[F]) newPasses(b *grid.Block, cfg Config, w *schedule, k int, list *tileList) []pass[F] {
	if w.traversal == byTiles {
		return []pass[F]{a.newTilePass(b, cfg, w, k, list)}
	}
	layout, dim := lattice(b), b.Grid.Dim
	strides := [3]int32{1, layout.SY, layout.SZ}
	methods, clock := cfg.methods(), &a.clocks[k]
	var all []pass[F]
	for n := range dim {
		axis := (k + n) % dim
		from, to := a.fields[n], a.fields[(n+1)%dim]
		box := abi.Box{Hi: b.N}
		if w.period != bySweep {
			box = cfg.widenedBox(b, k, n)
		}
		var advance func(abi.Box) rangesLoop
		withDonors := box // the box and the donors outside of it
		withDonors.Lo[axis]--
		withDonors.Hi[axis]++
		var p pass[F]
		var planes rangesLoop
		var boundary []abi.Box // cells that other ranks need
		core := box
		if n == dim-1 || w.period == bySweep {
			p.exchanged = to
			boundary, core = w.splitBoundary(b)
		}
		p.walls = a.wallLoop(from)
		if dim == 2 {
			s := &kernels.Sweep2[F]{Lattice: layout, Axis: int32(axis), Stride: strides[axis], Method: methods[n],
				Normal: cfg.normalMethod(), Stored: w.costlyNormals,
				DifferenceStep: differenceStep[F](), RoundOff: roundOff[F](), F: from, Start: a.fields[0], Out: to,
				U: a.u[axis], Planes: a.planes2}
			advance = func(box abi.Box) rangesLoop { return kernels.NewAdvance2Loop(box, s, clock) }
			planes = kernels.NewReconstruct2Loop(withDonors, s)
		} else {
			s := &kernels.Sweep3[F]{Lattice: layout, Axis: int32(axis), Stride: strides[axis],
				Normal: cfg.normalMethod(), Stored: w.costlyNormals,
				DifferenceStep: differenceStep[F](), RoundOff: roundOff[F](), F: from, Start: a.fields[0], Out: to,
				U: a.u[axis], Planes: a.planes3}
			advance = func(box abi.Box) rangesLoop { return kernels.NewAdvance3Loop(box, s, clock) }
			if w.traversal == byBricks {
				a.setBricks(&p, s, clock, b, w, list)
			}
			planes = kernels.NewReconstruct3Loop(withDonors, s)
		}
		if w.costlyNormals {
			p.reconstruct = a.narrowBand.restrict(planes, withDonors)
		}
		if w.traversal != byBricks {
			for _, box := range boundary {
				p.boundary = append(p.boundary, wholeLoop(advance(box), box.Size()))
			}
			p.core = a.narrowBand.restrict(advance(core), core)
		}
		all = append(all, p)
	}
	return all
}

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

// newTilePass makes the pass of step k over a list of tiles.
func (a *arrays[F]) newTilePass(b *grid.Block, cfg Config, w *schedule, k int, list *tileList) pass[F] {
	s := &kernels.Tiles2[F]{Lattice: w.lattice(b), Axis: int32(k % 2), N: w.tiledCells(),
		Tiles: [2]int32{int32(w.tilesAlong[0]), int32(w.tilesAlong[1])}, Open: w.ghostReach(b), Methods: cfg.methods(),
		Normal:         cfg.normalMethod(),
		DifferenceStep: differenceStep[F](), RoundOff: roundOff[F](), F: a.fields[k%2], Out: a.fields[1-k%2], U: a.u[0],
		V:           a.u[1],
		KindsBefore: a.kinds[k%2], KindsAfter: a.kinds[1-k%2], Order: list.order, Count: list.count}
	step := kernels.NewTileStep2Loop(w.costlyNormals, s, &a.clocks[k])
	p := pass[F]{boundary: []indexedLoop{wholeLoop(step, w.count)}}
	if w.period != byCycle {
		p.exchanged = s.Out
	}
	return p
}

// lattice describes the layout of a block's arrays relative to the first cell that tiles cover.
func (w *schedule) lattice(b *grid.Block) kernels.Lattice {
	l := lattice(b)
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

// indexedLoop is a loop with the indices over which it runs: from first to below end.
type indexedLoop struct {
	loop       backend.Loop
	first, end int
}

// wholeLoop is a loop over n indices.
func wholeLoop(loop backend.Loop, n int) indexedLoop { return indexedLoop{loop: loop, end: n} }

// methods returns the advection methods of the sweeps of a step.
func (c Config) methods() [2]int32 {
	if c.Advect == "ei-le" {
		return [2]int32{kernels.Eulerian, kernels.Lagrangian}
	}
	return [2]int32{kernels.WeymouthYue, kernels.WeymouthYue}
}

// differenceStep returns the step of finite differences: about the square root of the unit round-off, 2⁻¹² in float32
// and 2⁻²⁶ in float64.
func differenceStep[F num.Float]() F {
	if F(1)+0x1p-40 == 1 {
		return 0x1p-12
	}
	return 0x1p-26
}

// roundOff returns the tolerance within which a volume fraction counts as 0 or 1: 64 machine epsilons, which a cell
// accumulates from the errors of its fluxes.
func roundOff[F num.Float]() F {
	if F(1)+0x1p-40 == 1 {
		return 0x1p-17
	}
	return 0x1p-46
}
