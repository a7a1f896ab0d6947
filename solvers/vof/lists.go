package vof

import (
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// tileLister lists the tiles or bricks in which anything may change in a cycle, on the device.
type tileLister struct {
	loops []indexedLoop // list them
	// The counts of the last list. Each list of tiles has an upper bound of the length of the next one, so that the host
	// need not wait for the list of which it queues the steps.
	counts backend.Readback
	bounds bool // counts has a bound of the next list
	active int  // number of active tiles or bricks, or an upper bound
}

// prepareLister makes the loops that list the active tiles or bricks.
func (s *solver[F]) prepareLister() (err error) {
	if s.count == 0 {
		return nil
	}
	s.lister.loops = s.newListLoops(s.block, &s.schedule)
	const bytes = kernels.ListCounts * int(unsafe.Sizeof(int32(0)))
	if s.lister.counts, err = backend.NewReadback(s.dev, bytes); err == nil {
		s.allocated.Owns(s.lister.counts)
	}
	return err
}

// listTiles lists the active tiles or bricks of a cycle.
func (s *solver[F]) listTiles() error {
	l := &s.lister
	if s.count == 0 {
		return nil
	}
	known := l.bounds
	if known {
		if err := l.read(kernels.NextLength); err != nil {
			return err
		}
	}
	s.run(l.loops...)
	if err := l.counts.Start(solvers.BytesOf(s.arrays.activeTiles.count)); err != nil {
		return err
	}
	if !known {
		if err := l.read(kernels.ListLength); err != nil {
			return err
		}
	}
	// Deep ghosts are received after a list, with any values.
	l.bounds = s.traversal == byTiles && s.period != byCycle
	s.resizeLoops(len(s.sentBricks) + l.active)
	return nil
}

// read waits for the counts of the last list, and takes one of them as the number of active tiles or bricks.
func (l *tileLister) read(count int) error {
	bytes, err := l.counts.Read()
	if err != nil {
		return err
	}
	l.active = int(unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(bytes))), kernels.ListCounts)[count])
	return nil
}

// resizeLoops makes the loops over active tiles or bricks run over at least n. They run over more, so that recordings
// can be reused when the number grows.
func (s *solver[F]) resizeLoops(n int) {
	if n > s.recordedTiles || n < s.recordedTiles/2 {
		s.recordedTiles = min(n+n/8+spareTiles, s.count)
		s.forgetRecordings()
	}
	for k := range cycleLength {
		for n := range s.activePasses[k] {
			s.activePasses[k][n].resize(s.recordedTiles, s.wallsByBrick)
		}
	}
}

// spareTiles is the least number of tiles that loops run over in addition to active ones.
const spareTiles = 64

// newListLoops makes the loops that list the tiles or bricks in which anything may change in a cycle, in the order in
// which they must run.
func (a *arrays[F]) newListLoops(b *grid.Block, w *schedule) []indexedLoop {
	tileList := &kernels.TileList{Tiles: [2]int32{int32(w.count), 1}, Marks: a.marks,
		Order: a.activeTiles.order[len(a.sentBricks):], Count: a.activeTiles.count}
	if w.traversal == byTiles {
		tileList.Tiles = [2]int32{int32(w.tilesAlong[0]), int32(w.tilesAlong[1])}
		tileList.Open, tileList.Kinds = w.ghostReach(b), a.kinds[0]
		return []indexedLoop{wholeLoop(kernels.NewMarkTileLoop(tileList), w.count),
			wholeLoop(kernels.NewListTilesLoop(tileList), 1)}
	}
	brickList := &kernels.BrickList[F]{Lattice: lattice(b), Bricks: *a.bricks(b, w, &a.allTiles), RoundOff: roundOff[F](),
		F: a.fields[0], Second: a.fields[1], Third: a.fields[2], Kinds: a.kinds[0], Marks: a.marks, Copied: a.kinds[1]}
	loops := []indexedLoop{wholeLoop(kernels.NewKindOfBrickLoop(brickList), w.count),
		wholeLoop(kernels.NewMarkBrickLoop(brickList), w.count),
		wholeLoop(kernels.NewCopyIdleBrickLoop(brickList), w.count), wholeLoop(kernels.NewListTilesLoop(tileList), 1)}
	for _, f := range a.fields {
		if w.wallsByBrick { // beside bricks that are not in the list, ghosts stay as they are now
			loops = append(loops, a.wallLoop(f))
		}
	}
	return loops
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
	if w.wallsByBrick && list == &a.activeTiles {
		p.walls = wholeLoop(kernels.NewFillBrickWallLoop(&kernels.BrickWalls[F]{Bricks: *bricks, First: a.brickWalls,
			From: a.wallCells, To: a.wallGhosts, F: s.F}), w.count)
	}
}

// resize makes the loops of a pass over active tiles or bricks run over n of them, with wallsByBrick also those over
// their ghosts.
func (p *pass[F]) resize(n int, wallsByBrick bool) {
	last := &p.core
	if p.core.loop == nil {
		last = &p.boundary[0]
	}
	last.end = n
	if wallsByBrick {
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
