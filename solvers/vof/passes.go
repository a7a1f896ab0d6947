package vof

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// schedule is how a rank takes steps: what a kernel traverses at a time (traversal), and how often ghosts are
// exchanged (period). Config.choose chooses both; widenGhosts changes the period if all ranks can use tiles with deep
// ghosts:
//
//	             bySweep                        byStep                         byCycle
//	byCells      in space; exchange "sweep"     in the plane, by default       -
//	byTiles      a block without neighbours     in the plane; large blocks     in the plane, several ranks;
//	                                            of GPUs; sweep "tiles"         exchange "steps"
//	byBricks     in space, on GPUs              -                              -
type schedule struct {
	traversal traversal
	period    period
	stored    bool // planes are computed once and stored (not by tiles), since computing them costs more
	tiles     [2]int
	count     int  // number of tiles or bricks
	alone     bool // no other rank takes part in an exchange

	frame abi.Box // cells that the tiles cover
}

// traversal is what a kernel of a step takes at a time.
type traversal int

const (
	byCells  traversal = iota // a sweep over the cells of boxes, in the host's memory over those in bands
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

// choose chooses the schedule. separate is true for a device with separate memory.
func (c Config) choose(b *grid.Block, separate bool) (w schedule, err error) {
	w.stored = c.Normal == "elvira" || c.Normal == "lvira"
	if c.wide(b.Grid.Dim) {
		w.period = byStep
	}
	if separate && b.Grid.Dim == 3 && w.period == bySweep && c.Sweep != "cells" {
		w.traversal = byBricks
	}
	alone := true // all sides are walls
	for axis := range b.Grid.Dim {
		for _, open := range b.HasNeighbours(axis) {
			alone = alone && !open
		}
	}
	reason := ""
	switch {
	case b.Grid.Dim == 3:
		reason = "tiles are for the plane"
	case c.Normal == "height":
		reason = "heights reach too far for tiles"
	case !alone && w.period == bySweep:
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
	many := manyCells
	if !alone {
		many /= 4 // tiles exchange once in many steps
	}
	if c.Sweep == "tiles" || c.Exchange == "steps" ||
		c.Sweep != "cells" && separate && reason == "" && b.Cells() >= many {
		w.traversal = byTiles
		w.layTiles(abi.Box{Hi: b.N})
	}
	if w.traversal == byBricks {
		n := kernels.CountBricks(b.N)
		w.count = n[0] * n[1] * n[2]
	}
	return w, nil
}

// layTiles covers a box of cells with tiles.
func (w *schedule) layTiles(frame abi.Box) {
	w.frame = frame
	nx, ny := frame.Hi[0]-frame.Lo[0], frame.Hi[1]-frame.Lo[1]
	w.tiles = [2]int{(nx + kernels.TileX - 1) / kernels.TileX, (ny + kernels.TileY - 1) / kernels.TileY}
	w.count = w.tiles[0] * w.tiles[1]
}

// manyCells is the number of cells of a block from which tiles are the default. Below, the time of a step on a GPU is
// the latency of one tile.
const manyCells = 2 << 20

// pass is a sweep, or with tiles a whole step, with the loops that precede it.
type pass[F num.Float] struct {
	walls       backend.Loop
	reconstruct kernelOver   // of stored planes
	first       []kernelOver // loops over cells that other ranks need
	rest        kernelOver   // the remaining cells
	field       []F          // the field whose ghosts are exchanged after first, or nil
}

// passes prepares step k of a cycle, over a list of tiles or bricks if the schedule has them.
func (a *arrays[F]) passes(b *grid.Block, cfg Config, w *schedule, k int, l *tileList) []pass[F] {
	if w.traversal == byTiles {
		return []pass[F]{a.tiledPass(b, cfg, w, k, l)}
	}
	layout, dim := lattice(b), b.Grid.Dim
	strides := [3]int32{1, layout.SY, layout.SZ}
	kinds, clock := cfg.kinds(), &a.clocks[k]
	var all []pass[F]
	for n := range dim {
		axis := (k + n) % dim
		from, to := a.fields[n], a.fields[(n+1)%dim]
		box := abi.Box{Hi: b.N}
		if w.period != bySweep {
			box = cfg.widened(b, k, n)
		}
		var advance func(abi.Box) ranger
		wide := box // the box and the donors outside of it
		wide.Lo[axis]--
		wide.Hi[axis]++
		var p pass[F]
		var planes ranger
		var interfaces []abi.Box // cells that other ranks need
		inner := box
		if n == dim-1 || w.period == bySweep {
			p.field = to
			interfaces, inner = w.splitInterface(b)
		}
		p.walls = kernels.NewFillWallLoop(a.wallCells, a.wallGhosts, from)
		if dim == 2 {
			s := &kernels.Sweep2[F]{Lattice: layout, Axis: int32(axis), Stride: strides[axis], Kind: kinds[n],
				Normal: cfg.normalMethod(), Stored: w.stored,
				DifferenceStep: differenceStep[F](), RoundOff: roundOff[F](), F: from, Start: a.fields[0], Out: to,
				U: a.u[axis], Planes: a.planes2}
			advance = func(box abi.Box) ranger { return kernels.NewAdvance2Loop(box, s, clock) }
			planes = kernels.NewReconstruct2Loop(wide, s)
		} else {
			s := &kernels.Sweep3[F]{Lattice: layout, Axis: int32(axis), Stride: strides[axis],
				Normal: cfg.normalMethod(), Stored: w.stored,
				DifferenceStep: differenceStep[F](), RoundOff: roundOff[F](), F: from, Start: a.fields[0], Out: to,
				U: a.u[axis], Planes: a.planes3}
			advance = func(box abi.Box) ranger { return kernels.NewAdvance3Loop(box, s, clock) }
			if w.traversal == byBricks {
				p.first = []kernelOver{{kernels.NewBrick3Loop(s, bricks(b, l), clock), w.count}}
			}
			planes = kernels.NewReconstruct3Loop(wide, s)
		}
		if w.stored {
			p.reconstruct = a.bands.over(planes, wide)
		}
		if w.traversal != byBricks {
			for _, box := range interfaces {
				p.first = append(p.first, kernelOver{advance(box), box.Size()})
			}
			p.rest = a.bands.over(advance(inner), inner)
		}
		all = append(all, p)
	}
	return all
}

// widened returns the box of sweep n of step k, including the ghosts that later sweeps of the step read.
func (c Config) widened(b *grid.Block, k, n int) abi.Box {
	along, across := c.reach()
	box := abi.Box{Hi: b.N}
	for laterSweep := n + 1; laterSweep < b.Grid.Dim; laterSweep++ {
		for axis := range b.Grid.Dim {
			more := across
			if axis == (k+laterSweep)%b.Grid.Dim {
				more = along
			}
			open := b.HasNeighbours(axis)
			if open[0] {
				box.Lo[axis] -= more
			}
			if open[1] {
				box.Hi[axis] += more
			}
		}
	}
	return box
}

// tiledPass prepares the whole step k, over a list of tiles.
func (a *arrays[F]) tiledPass(b *grid.Block, cfg Config, w *schedule, k int, l *tileList) pass[F] {
	s := &kernels.Tiles2[F]{Lattice: w.lattice(b), Axis: int32(k % 2), N: w.covered(),
		Tiles: [2]int32{int32(w.tiles[0]), int32(w.tiles[1])}, Open: w.ghostSides(b), Kinds: cfg.kinds(),
		Normal:         cfg.normalMethod(),
		DifferenceStep: differenceStep[F](), RoundOff: roundOff[F](), F: a.fields[k%2], Out: a.fields[1-k%2], U: a.u[0],
		V:           a.u[1],
		KindsBefore: a.kinds[k%2], KindsAfter: a.kinds[1-k%2], Order: l.order, Count: l.count}
	step := kernels.NewTileStep2Loop(w.stored, s, &a.clocks[k])
	p := pass[F]{first: []kernelOver{{step, w.count}}}
	if w.period != byCycle {
		p.field = s.Out
	}
	return p
}

// lattice describes the layout of a block's arrays relative to the first cell that tiles cover.
func (w *schedule) lattice(b *grid.Block) kernels.Lattice {
	l := lattice(b)
	l.Origin = int32(b.Index(w.frame.Lo[0], w.frame.Lo[1], 0))
	return l
}

// covered returns the number of cells that tiles cover along each axis.
func (w *schedule) covered() [2]int32 {
	return [2]int32{int32(w.frame.Hi[0] - w.frame.Lo[0]), int32(w.frame.Hi[1] - w.frame.Lo[1])}
}

// ghostSides returns how far tiles may read beyond each side of the cells that they cover.
func (w *schedule) ghostSides(b *grid.Block) (reach [2][2]int32) {
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

// bricks describes the bricks of a list.
func bricks(b *grid.Block, l *tileList) *kernels.Bricks {
	all := &kernels.Bricks{Order: l.order, Length: l.count}
	for d, n := range kernels.CountBricks(b.N) {
		all.N[d], all.Count[d] = int32(b.N[d]), int32(n)
	}
	return all
}

// listing prepares the kernels that list the tiles or bricks with work in a cycle, in their order.
func (a *arrays[F]) listing(b *grid.Block, w *schedule) []kernelOver {
	list := &kernels.TileList{Tiles: [2]int32{int32(w.count), 1}, Busy: a.marks, Order: a.activeTiles.order,
		Count: a.activeTiles.count}
	if w.traversal == byTiles {
		list.Tiles, list.Open, list.Kinds = [2]int32{int32(w.tiles[0]), int32(w.tiles[1])}, w.ghostSides(b), a.kinds[0]
		return []kernelOver{{kernels.NewMarkTileLoop(list), w.count}, {kernels.NewListTilesLoop(list), 1}}
	}
	l := &kernels.BrickList[F]{Lattice: lattice(b), Bricks: *bricks(b, &a.allTiles), RoundOff: roundOff[F](),
		F:      a.fields[0],
		Second: a.fields[1], Third: a.fields[2], Kinds: a.kinds[0], Busy: a.marks}
	for axis := range 3 {
		for side, open := range b.HasNeighbours(axis) {
			if open {
				l.Open[axis][side] = 1
			}
		}
	}
	return []kernelOver{{kernels.NewKindOfBrickLoop(l), w.count}, {kernels.NewMarkBrickLoop(l), w.count},
		{kernels.NewCopyIdleBrickLoop(l), w.count}, {kernels.NewListTilesLoop(list), 1}}
}

// kernelOver is a loop with its number of indices.
type kernelOver struct {
	loop backend.Loop
	size int
}

// kinds returns the kinds of the sweeps of a step.
func (c Config) kinds() [2]int32 {
	if c.Advect == "ei-le" {
		return [2]int32{kernels.Eulerian, kernels.Lagrangian}
	}
	return [2]int32{kernels.WeymouthYue, kernels.WeymouthYue}
}

// differenceStep is the square root of the unit round-off.
func differenceStep[F num.Float]() F {
	if F(1)+0x1p-40 == 1 {
		return 0x1p-12
	}
	return 0x1p-26
}

// roundOff is the tolerance within which a volume fraction counts as 0 or 1: 64 units of round-off, which is what a
// cell accumulates from the errors of its fluxes.
func roundOff[F num.Float]() F {
	if F(1)+0x1p-40 == 1 {
		return 0x1p-17
	}
	return 0x1p-46
}
