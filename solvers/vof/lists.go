package vof

import (
	"context"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// tileLister lists the tiles or bricks in which anything may change in a cycle, on the device.
type tileLister struct {
	loops []engine.Task // list them
	// The counts of the last list. Each list of tiles has an upper bound of the length of the next one, so that the host
	// need not wait for the list of which it queues the steps.
	counts backend.Readback
	bounds bool // counts has a bound of the next list
	active int  // number of active tiles or bricks, or an upper bound
	listed int  // over how many tiles or bricks loops run, with those that are sent
}

// prepareLister prepares lists of the active tiles or bricks.
func (s *stepper[F]) prepareLister() (err error) {
	if s.listable == 0 {
		return nil
	}
	s.loops = s.listTasks()
	const bytes = kernels.ListCounts * int(unsafe.Sizeof(int32(0)))
	if s.counts, err = backend.NewReadback(s.Env().Device, bytes); err == nil {
		s.Owns(s.counts)
	}
	return err
}

// list lists the active tiles or bricks of a cycle.
func (s *stepper[F]) list(p *engine.Program) {
	known := false
	p.Host(func(context.Context) error {
		if known = s.bounds; known {
			return s.readCount(kernels.NextLength)
		}
		return nil
	})
	p.Run(s.loops...)
	p.Host(func(context.Context) error {
		if err := s.counts.Start(solvers.BytesOf(s.activeTiles.count.Data)); err != nil {
			return err
		}
		if !known {
			if err := s.readCount(kernels.ListLength); err != nil {
				return err
			}
		}
		// Deep ghosts are received after a list, with any values.
		s.bounds = s.traversal == byTiles && s.period != byCycle
		s.resize(s.sentBricks + s.active)
		return nil
	})
}

// readCount waits for the counts of the last list, and takes one of them as the number of active tiles or bricks.
func (l *tileLister) readCount(count int) error {
	bytes, err := l.counts.Read()
	if err != nil {
		return err
	}
	l.active = int(unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(bytes))), kernels.ListCounts)[count])
	return nil
}

// resize makes the loops over active tiles or bricks run over at least n. They run over more, so that recordings can be
// reused when the number grows.
func (s *stepper[F]) resize(n int) {
	if n > s.listed || n < s.listed/2 {
		s.listed = min(n+n/8+spareTiles, s.listable)
		s.Forget()
	}
}

// spareTiles is the least number of tiles that loops run over in addition to active ones.
const spareTiles = 64

// listTasks makes the loops that list the tiles or bricks in which anything may change in a cycle.
func (s *stepper[F]) listTasks() []engine.Task {
	n := s.listable
	tileList := &kernels.TileList{Tiles: [2]int32{int32(n), 1}, Marks: s.marks.Data,
		Order: s.activeTiles.order.Data[s.sentBricks:], Count: s.activeTiles.count.Data}
	if s.traversal == byTiles {
		tileList.Tiles = [2]int32{int32(s.tilesAlong[0]), int32(s.tilesAlong[1])}
		tileList.Open, tileList.Kinds = s.ghostReach(s.block), s.kinds[0].Data
		return []engine.Task{engine.Whole(kernels.NewMarkTileLoop(tileList), n),
			engine.Whole(kernels.NewListTilesLoop(tileList), 1)}
	}
	l := &kernels.BrickList[F]{Lattice: plic.Lattice(s.block), Bricks: *s.bricks(), RoundOff: plic.RoundOff[F](),
		F: s.fields[0].Data, Second: s.fields[1].Data, Third: s.fields[2].Data, Kinds: s.kinds[0].Data, Marks: s.marks.Data,
		Copied: s.kinds[1].Data}
	tasks := []engine.Task{engine.Whole(kernels.NewKindOfBrickLoop(l), n), engine.Whole(kernels.NewMarkBrickLoop(l), n),
		engine.Whole(kernels.NewCopyIdleBrickLoop(l), n), engine.Whole(kernels.NewListTilesLoop(tileList), 1)}
	if s.wallsByBrick { // beside bricks that are not in the list, ghosts stay as they are now
		for n := range s.fields {
			tasks = append(tasks, s.allWalls(n))
		}
	}
	return tasks
}

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

// bricks describes the bricks of the block and the list of active ones.
func (s *stepper[F]) bricks() *kernels.Bricks {
	d := s.describeBricks(s.block)
	d.Sends, d.Order, d.Length = int32(s.sentBricks), s.activeTiles.order.Data, s.activeTiles.count.Data
	return d
}

// listSentBricks lists the bricks with cells that other ranks need.
func (w *schedule) listSentBricks(b *grid.Block) (list []int32) {
	d := w.describeBricks(b)
	for t := range int32(w.listable) {
		if d.Sent(t) {
			list = append(list, t)
		}
	}
	return list
}

// setBricks sets the boundary and the core of sweep n of step k, and the walls if they go by bricks, to loops over the
// list of active bricks. If no other rank takes part in an exchange, all bricks are computed before it.
func (s *stepper[F]) setBricks(w *sweep, k, n int) {
	bricks := s.bricks()
	of := s.sweep3((k+n)%3, n)
	loop := kernels.NewBrick3Loop(of, bricks, &s.clock.Data[k])
	if s.alone {
		w.boundary, w.core = []engine.Task{engine.Listed(loop, &s.listed)}, engine.Task{}
	} else {
		w.boundary = []engine.Task{engine.Whole(loop, s.sentBricks)}
		w.core = engine.Task{Loop: loop, Lo: s.sentBricks, Limit: &s.listed}
	}
	if s.wallsByBrick {
		w.walls = engine.Listed(kernels.NewFillBrickWallLoop(&kernels.BrickWalls[F]{Bricks: *bricks,
			First: s.brickWalls.Data, From: s.wallCells.Data, To: s.wallGhosts.Data, F: of.F}), &s.listed)
	}
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
	first = make([]int32, w.listable+1)
	for _, ghost := range to {
		first[brickOf(ghost)+1]++
	}
	for t := range w.listable {
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
