package narrowband

import (
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// walls are the ghosts beyond walls of a block with a narrow band. Those that repeat cells of idle pieces keep
// their values while the band is valid.
type walls[F num.Float] struct {
	cells, ghosts []int32       // as arrays.wallCells and arrays.wallGhosts
	parts         []wallPart    // in their order, and one more at the end
	near          []int32       // numbers of the parts that repeat cells in the band
	nearCount     int           // of near
	loops         []wallLoop[F] // by field
}

// wallPart is a contiguous part of cells and ghosts that repeats cells of one piece: from first to below first of the
// next part.
type wallPart struct {
	first int32
	piece int // as Band.pieceOf returns it
}

// otherRank is the piece of cells of other ranks, which are always in the band.
const otherRank = -1

// newWalls divides cells and ghosts into parts.
func newWalls[F num.Float](d *Band[F], cells, ghosts []int32) *walls[F] {
	w := &walls[F]{cells: cells, ghosts: ghosts}
	for n, c := range cells {
		if piece := d.pieceOf(int(c)); n == 0 || piece != w.parts[len(w.parts)-1].piece {
			w.parts = append(w.parts, wallPart{int32(n), piece})
		}
	}
	w.near = make([]int32, 0, len(w.parts))
	w.parts = append(w.parts, wallPart{first: int32(len(cells))})
	for _, f := range d.fields {
		w.loops = append(w.loops, wallLoop[F]{w, f})
	}
	return w
}

// synchronise fills all ghosts in all fields, and lists the parts near the band that begins.
func (w *walls[F]) synchronise(dev backend.Device, d *Band[F]) {
	w.near = w.near[:0]
	for n := range len(w.parts) - 1 {
		w.near = append(w.near, int32(n))
	}
	for n := range w.loops {
		dev.Run(&w.loops[n], 0, len(w.near))
	}
	w.near = slices.DeleteFunc(w.near, func(n int32) bool {
		piece := w.parts[n].piece
		return piece != otherRank && d.active[piece/64]>>(piece%64)&1 == 0
	})
	w.nearCount = len(w.near)
}

// task fills the ghosts near the band in field n.
func (w *walls[F]) task(n int) engine.Task { return engine.Listed(&w.loops[n], &w.nearCount) }

// wallLoop fills ghosts of a field; its indices are those of walls.near.
type wallLoop[F num.Float] struct {
	walls *walls[F]
	f     []F
}

func (l *wallLoop[F]) Range(lo, hi int) {
	w, f := l.walls, l.f
	for _, n := range w.near[lo:hi] {
		first, end := w.parts[n].first, w.parts[n+1].first
		ghosts := w.ghosts[first:end]
		for i, c := range w.cells[first:end] {
			f[ghosts[i]] = f[c]
		}
	}
}
