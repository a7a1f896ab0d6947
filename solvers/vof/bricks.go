package vof

import (
	"slices"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// In each sweep the bricks with cells that other ranks need come first. While their cells are sent, the other bricks
// are computed in which anything may change.

// describeBricks describes the bricks of a block, without a list.
func (w *schedule) describeBricks(b *grid.Block) *kernels.Bricks {
	d := new(kernels.Bricks)
	for axis, n := range kernels.CountBricks(b.N) {
		d.N[axis], d.Count[axis] = int32(b.N[axis]), int32(n)
		for side, open := range b.HasNeighbours(axis) {
			if open {
				d.Open[axis][side] = 1
			}
		}
	}
	if !w.alone {
		d.Layers = int32(b.Ghost)
	}
	return d
}

// bricks describes the bricks of a block and a list of them.
func (a *arrays[F]) bricks(b *grid.Block, w *schedule, list *tileList) *kernels.Bricks {
	d := w.describeBricks(b)
	d.Sends, d.Order, d.Length = int32(len(a.sentBricks)), list.order, list.count
	return d
}

// splitBricks returns all tiles or bricks, bricks with cells that other ranks need first, and the number of these.
func (w *schedule) splitBricks(b *grid.Block) (order []int32, sent int) {
	d := w.describeBricks(b)
	var others []int32
	for t := range int32(w.count) {
		if w.traversal == byBricks && d.Sent(t) {
			order = append(order, t)
		} else {
			others = append(others, t)
		}
	}
	return append(order, others...), len(order)
}

// setBricks makes a pass of a sweep over a list of bricks. If no other rank takes part in an exchange, all bricks are
// computed before it.
func (a *arrays[F]) setBricks(p *pass[F], s *kernels.Sweep3[F], clock *kernels.Clock[F], b *grid.Block, w *schedule,
	list *tileList) {
	bricks := a.bricks(b, w, list)
	loop, sent := kernels.NewBrick3Loop(s, bricks, clock), len(a.sentBricks)
	if w.alone {
		p.boundary = []indexedLoop{wholeLoop(loop, w.count)}
	} else {
		p.boundary, p.core = []indexedLoop{wholeLoop(loop, sent)}, indexedLoop{loop, sent, w.count}
	}
	if list == &a.activeTiles {
		p.walls = wholeLoop(kernels.NewFillBrickWallLoop(&kernels.BrickWalls[F]{Bricks: *bricks, First: a.brickWalls,
			From: a.wallCells, To: a.wallGhosts, F: s.F}), w.count)
	}
}

// resize makes the loops of a pass over active tiles or bricks run over n of them.
func (p *pass[F]) resize(n int) {
	last := &p.core
	if p.core.loop == nil {
		last = &p.boundary[0]
	}
	last.end = n
	if p.walls.loop != nil {
		p.walls.end = n
	}
}

// wallLoop fills all ghosts beyond walls.
func (a *arrays[F]) wallLoop(f []F) indexedLoop {
	return wholeLoop(kernels.NewFillWallLoop(a.wallCells, a.wallGhosts, f), len(a.wallGhosts))
}

// orderByBrick orders cells at walls and the ghosts beyond them by the brick that is nearest to the ghost, and returns
// the index of each brick's first ghost. A ghost that gets the value of another rank's cell is nearest to a brick with
// cells for that rank, which is computed in each sweep.
func (w *schedule) orderByBrick(b *grid.Block, from, to []int32) (first, orderedFrom, orderedTo []int32) {
	count := kernels.CountBricks(b.N)
	brickOf := func(ghost int32) int {
		var at [3]int
		at[0], at[1], at[2] = b.Cell(int(ghost))
		for axis := range at {
			at[axis] = max(0, min(at[axis], b.N[axis]-1)) / kernels.BrickSize[axis]
		}
		return at[0] + count[0]*(at[1]+count[1]*at[2])
	}
	first = make([]int32, w.count+1)
	for _, ghost := range to {
		first[brickOf(ghost)+1]++
	}
	for t := range w.count {
		first[t+1] += first[t]
	}
	next := slices.Clone(first)
	orderedFrom, orderedTo = make([]int32, len(from)), make([]int32, len(to))
	for i, ghost := range to {
		t := brickOf(ghost)
		orderedFrom[next[t]], orderedTo[next[t]] = from[i], ghost
		next[t]++
	}
	return first, orderedFrom, orderedTo
}
