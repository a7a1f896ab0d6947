package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// A tile is a rectangle of cells that a block of a GPU's threads advances by both sweeps of a step. The field between
// the sweeps stays in shared memory, with a margin as wide as the stencil of a step: the donor next to the cell and
// the neighbours that its plane depends on, for both sweeps.
const (
	TileX, TileY = 32, 32
	TileReach    = 3
	tileWidth    = TileX + 2*TileReach
	TileRoom     = tileWidth * (TileY + 2*TileReach) // number of cells of a tile with its margin

	tilePieces = 128 // number of pieces of a tile whose kinds are found separately

	tileRunCells = 8 // cells of a column of a tile, with its margin, that a thread takes together
	tileRuns     = tileWidth * ((TileY + 2*TileReach + tileRunCells - 1) / tileRunCells)
	tileGroups   = (tileRuns + groupRuns - 1) / groupRuns

	cellsToLoad = 8 // cells that a thread loads together
	tileLoads   = (TileRoom + cellsToLoad - 1) / cellsToLoad
	loadGroups  = 16 // whose kinds are found together
)

// Tiles2 is a step in two dimensions over tiles, x fastest. Ghosts behind walls are copies of the adjacent cells; on
// other sides F and the velocities have TileReach layers of ghosts. The stencil of Heights is too large for tiles.
//
//atoll:constant
type Tiles2[F num.Float] struct {
	Lattice
	Axis           int32    // of the first sweep
	N              [2]int32 // cells of the block
	Tiles          [2]int32
	Open           [2][2]int32 // TileReach where there are ghosts, 0 at walls: along each axis, below and above
	Methods        [2]int32    // of advection, of both sweeps
	Normal         int32
	DifferenceStep F
	RoundOff       F
	F, Out         []F
	U, V           []F     // velocity through lower faces
	KindsBefore    []int32 // kinds of tiles: NotEmpty and others, Mixed2 at first
	KindsAfter     []int32 // after the step
	Order          []int32 // active tiles: in others nothing changes, and both fields are the same
	Count          []int32 // one element: the number of active tiles
}

// tileWork is the first cell of a tile and the work for it: none beyond the end of the list.
type tileWork struct {
	x, y       int32
	load       int32 // the iteration count of the loop that loads the cells: 0 if the tile cannot change
	once       int32 // 1 to store the kind of the tile
	tile, kind int32
	differs    bool // the fields differ: the cells must be copied if the tile does not change
}

// TileStep2 advances the cells of the t-th tile of Order from F to Out, with the same bits as Advance2 in two sweeps.
// Normals are computed by Youngs or Mixed, or in the fine variant by any method except Heights: without ELVIRA and
// LVIRA a thread needs half the registers. In each sweep most cells stay as they are. The others are listed, and
// distributed over the threads: first to compute the flux through the lower face of each if its donor is mixed, and
// then to advance it. So each flux is computed once, and no thread waits for another one's.
//
//atoll:kernel tile block=192 fine=false,true blocks=5,0 blocks32=7
func TileStep2[F num.Float](t int, fine bool, s *Tiles2[F], clock *Clock[F], f, between, flux *[TileRoom]F,
	list *[TileRoom]int32, bits *[tileRuns]int32, counts *[2 * tileGroups]int32, kinds *[loadGroups]int32) {
	w := s.work(t)
	for k := range int32(2 * tileGroups) {
		counts[k] = 0
	}
	for k := range w.load {
		bits[k] = s.load(k, w.x, w.y, f)
	}
	for k := range some(w.load, loadGroups) {
		kinds[k] = combine(bits[:], k, loadGroups, (tileLoads-k+loadGroups-1)/loadGroups)
	}
	near, kind := w.near(kinds[:]), w.kindIfStays(kinds[:])
	runs := near * tileRuns
	for k := range runs {
		bits[k] = s.firstOfRun(k, w.x, w.y, f, between)
		if bits[k] != 0 {
			atomic.AddInt32(&counts[k/groupRuns], ones(bits[k]))
		}
	}
	n := sumOf(counts[:], 0, tileGroups)
	for k := range some(n, runs) {
		listTileRun(list[:], bits[:], counts[:], k, 0)
	}
	for k := range n {
		flux[list[k]] = s.flux(0, list[k], w.x, w.y, f, clock, fine)
	}
	for k := range n {
		s.first(list[k], w.x, w.y, f, between, flux, clock)
	}
	for k := range runs {
		bits[k] = s.secondOfRun(k, w.x, w.y, f, between)
		if bits[k] != 0 {
			atomic.AddInt32(&counts[tileGroups+k/groupRuns], ones(bits[k]))
		}
	}
	n = sumOf(counts[:], tileGroups, tileGroups)
	for k := range some(n, runs) {
		listTileRun(list[:], bits[:], counts[:], k, tileGroups)
	}
	for k := range n {
		flux[list[k]] = s.flux(1, list[k], w.x, w.y, between, clock, fine)
	}
	for k := range n {
		s.second(list[k], w.x, w.y, f, between, flux, clock)
	}
	for k := range near * tilePieces {
		between[k] = F(s.kindOf(k, w.x, w.y, f))
	}
	for k := range near * (tilePieces / 16) {
		between[tilePieces+k] = F(combineKinds(between, 16*k, 16))
	}
	for k := range w.copies(near) {
		s.copyCell(k, w.x, w.y)
	}
	for range w.once {
		s.KindsAfter[w.tile] = kindAfter(near, kind, between)
	}
}
