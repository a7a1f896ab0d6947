package bands

import (
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Piece is the number of consecutive cells, or edges, that are skipped as a whole: those of a vector.
const Piece = 8

func pieces(n int) int { return (n + Piece - 1) / Piece }

// Activity finds which core cells and edges can be skipped in a stage, since nothing happens there: cells without water
// whose neighbours have none either. Their new state is that before the stage, 0 to the bit. A piece of cells is
// updated if it or a neighbour has water, and if the array to which the new state goes has water of earlier steps
// there. The fluxes of all edges of these cells are computed, and the slopes of all cells of these edges.
type Activity struct {
	cells  int
	beside lists    // of each piece of cells: itself and its neighbours
	touch  lists    // of each piece of edges: the pieces of their cells
	within lists    // of each piece of cells: the pieces of their edges
	always []bool   // pieces of cells that are updated in any case: they have boundary cells or outlets as neighbours
	source []bool   // pieces of cells that always count as wet
	fixed  []bool   // pieces of edges that are computed in any case
	water  [][]bool // of each array of states: pieces that may have water
	run    [Kernels][]bool
	to     int // the array that the stage writes
}

// lists are lists of pieces, those of i from start[i] on.
type lists struct{ start, items []int32 }

// newLists returns no lists, with room for n of so many pieces in all.
func newLists(n, items int) lists {
	return lists{start: make([]int32, 1, n+1), items: make([]int32, 0, items)}
}

// add adds a list of some pieces, each once, and sorts them.
func (l *lists) add(of []int32) {
	slices.Sort(of)
	l.items = append(l.items, slices.Compact(of)...)
	l.start = append(l.start, int32(len(l.items)))
}

// turned returns, for each of n pieces, the lists in which it is.
func (l *lists) turned(n int) lists {
	t := lists{make([]int32, n+1), make([]int32, len(l.items))}
	for _, k := range l.items {
		t.start[k+1]++
	}
	for k := range n {
		t.start[k+1] += t.start[k]
	}
	next := slices.Clone(t.start)
	for i := range l.start[1:] {
		for _, k := range l.items[l.start[i]:l.start[i+1]] {
			t.items[next[k]] = int32(i)
			next[k]++
		}
	}
	return t
}

// any reports whether one of the pieces in the list of i is marked.
func (l *lists) any(i int, marks []bool) bool {
	for _, k := range l.items[l.start[i]:l.start[i+1]] {
		if marks[k] {
			return true
		}
	}
	return false
}

// NewActivity prepares for core cells and the edges between owned cells and at the boundary, with so many arrays of
// states. All may have water.
func NewActivity(core int, edges []kernels.EdgeCells, arrays int) *Activity {
	n, m := pieces(core), pieces(len(edges))
	a := &Activity{cells: core, always: make([]bool, n), source: make([]bool, n), fixed: make([]bool, m),
		run: [Kernels][]bool{Slopes: make([]bool, n), Flux: make([]bool, m), Update: make([]bool, n)}}
	for range arrays {
		a.water = append(a.water, make([]bool, n))
	}
	a.touch = newLists(m, 2*len(edges))
	for k := range m {
		var at [2 * Piece]int32
		touched := at[:0]
		for _, e := range edges[k*Piece : min((k+1)*Piece, len(edges))] {
			ends := [2]int32{e.Left, e.Left}
			if e.Right >= 0 {
				ends[1] = e.Right
			}
			for side, cell := range ends {
				if int(cell) >= core {
					a.fixed[k] = true
					continue
				}
				touched = append(touched, cell/Piece)
				if int(ends[1-side]) >= core || e.Right <= kernels.FirstOutlet {
					a.always[cell/Piece] = true
				}
			}
		}
		a.touch.add(touched)
	}
	a.touch.items = slices.Clip(a.touch.items)
	a.within = a.touch.turned(n)
	a.beside = besideOf(core, edges)
	if n > 0 {
		a.always[0] = true // it also carries limits of the step that do not depend on water
	}
	a.Forget()
	return a
}

// besideOf returns, for each piece of core cells, itself and its neighbours.
func besideOf(core int, edges []kernels.EdgeCells) lists {
	n := pieces(core)
	each := func(f func(at, other int32)) {
		for k := range n {
			f(int32(k), int32(k))
		}
		for _, e := range edges {
			if at, other := e.Left/Piece, e.Right/Piece; e.Right >= 0 && max(e.Left, e.Right) < int32(core) && at != other {
				f(at, other)
				f(other, at)
			}
		}
	}
	next := make([]int32, n+1)
	each(func(at, _ int32) { next[at+1]++ })
	for k := range n {
		next[k+1] += next[k]
	}
	all := make([]int32, next[n])
	each(func(at, other int32) {
		all[next[at]] = other
		next[at]++
	})
	beside, from := newLists(n, len(all)), int32(0)
	for _, to := range next[:n] {
		beside.add(all[from:to])
		from = to
	}
	return beside
}

// AddSource makes a cell count as wet: something but the flow from other cells brings water.
func (a *Activity) AddSource(cell int32) {
	if int(cell) < a.cells {
		a.source[int(cell)/Piece] = true
	}
}

// Forget makes all cells be taken for wet: their states have been changed.
func (a *Activity) Forget() {
	for _, w := range a.water {
		for k := range w {
			w[k] = true
		}
	}
}

// Pieces is the number of pieces of cells.
func (a *Activity) Pieces() int { return len(a.always) }

// Share returns which part of the pieces of cells the last stage has updated.
func (a *Activity) Share() float64 {
	n := 0
	for _, updated := range a.run[Update] {
		if updated {
			n++
		}
	}
	return float64(n) / float64(max(len(a.always), 1))
}

// Next returns the next range of indices of a kernel, within [lo, end), that the stage runs; an empty one if there is
// none.
func (a *Activity) Next(k Kernel, lo, end int) (from, to int) {
	run := a.run[k]
	for lo < end && !run[lo/Piece] {
		lo = min((lo/Piece+1)*Piece, end)
	}
	for to = lo; to < end && run[to/Piece]; {
		to = min((to/Piece+1)*Piece, end)
	}
	return lo, to
}

// noteWater notes which of the cells [lo, hi) have water now, from the array of all cells.
func noteWater[F num.Float](a *Activity, lo, hi int, states []kernels.State[F]) {
	for lo < hi {
		k, end := lo/Piece, min((lo/Piece+1)*Piece, hi)
		Note(a, a.to, k, states[lo:end])
		lo = end
	}
}

// Note notes whether cells of a piece have water now in an array, from their states there.
func Note[F num.Float](a *Activity, array, piece int, states []kernels.State[F]) {
	a.water[array][piece] = a.water[array][piece] || !zero(states)
}

// zero reports whether all bits of states are 0.
func zero[F num.Float](states []kernels.State[F]) bool {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(states))),
		len(states)*int(unsafe.Sizeof(states[0]))/8)
	for _, w := range words {
		if w != 0 {
			return false
		}
	}
	return true
}
