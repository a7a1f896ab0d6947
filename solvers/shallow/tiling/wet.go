package tiling

import (
	"slices"

	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/wet"
)

// findWet describes the tiles of owned cells for what skips those without water. Something but flow may bring water
// into sources. If the bed moves, no tile is skipped.
func (b *tiler[F]) findWet(owned int, sources []int32, moving bool) {
	t := &b.tiled
	n := len(t.Tiles) - 1
	w := wet.Tiles{First: make([]int32, 1, n+1), Awake: make([]int32, n), Of: make([]int32, owned)}
	for k := range n {
		for _, c := range t.Cells[t.Tiles[k].Cell:t.Tiles[k+1].Cell] {
			w.Of[c.Cell] = int32(k)
		}
	}
	for k := range n {
		begin := len(w.Beside)
		for _, e := range t.EdgeCells[t.Tiles[k].Edge:t.Tiles[k+1].Edge] {
			if e.Right <= kernels.FirstOutlet || max(int(e.Left), int(e.Right)) >= owned {
				w.Awake[k] = 1
			}
			for _, cell := range []int32{e.Left, e.Right} {
				if cell >= 0 && int(cell) < owned && int(w.Of[cell]) != k {
					w.Beside = append(w.Beside, w.Of[cell])
				}
			}
		}
		slices.Sort(w.Beside[begin:])
		w.Beside = w.Beside[:begin+len(slices.Compact(w.Beside[begin:]))]
		w.First = append(w.First, int32(len(w.Beside)))
		if k == 0 || moving { // the first one also has limits of the step that do not depend on water
			w.Awake[k] = 1
		}
	}
	for _, cell := range sources {
		w.Awake[w.Of[cell]] = 1
	}
	t.Wet = w
}
