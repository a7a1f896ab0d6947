package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// A tile is a rectangle of cells that a block of a GPU's threads advances by both sweeps of a step. The field between
// the sweeps stays in shared memory, with a margin as wide as the stencil of a step: the donor next to the cell and
// the neighbours that its plane depends on, for both sweeps.
const (
	TileX, TileY = 32, 32
	TileReach    = 3
	tileWidth    = TileX + 2*TileReach
	TileRoom     = tileWidth * (TileY + 2*TileReach) // number of cells of a tile with its margin

	betweenX, betweenY = TileX + 4, TileY + 4 // cells that the second sweep may need: two beyond each side
	marks              = 256                  // number of pieces of a tile whose kinds are found separately
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
	Kinds          [2]int32    // of the sweeps
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

// tileWork is the first cell of a tile and the iteration counts of its loops. All counts are 0 beyond the end of the
// list; in a tile that does not change only copied (if its fields differ) and once are positive.
type tileWork struct {
	x, y                       int32
	load, between, cells, mark int32
	height                     int32 // of the columns of faces
	copied                     int32 // cells to copy to the other field
	once                       int32 // 1 to store the kind of the tile
	tile, kind                 int32
}

// TileStep2 advances the cells of the t-th tile of Order from F to Out, with the same bits as Advance2 in two sweeps.
// Normals are computed by Youngs or Mixed, or in the fine variant by any method except Heights: without ELVIRA and
// LVIRA a thread needs half the registers. Faces with a mixed donor are listed before each sweep, so that no thread
// waits for another one's flux, and each flux is computed once.
//
//atoll:kernel tile block=256 fine=false,true blocks=3,0
func TileStep2[F num.Float](t int, fine bool, s *Tiles2[F], clock *Clock[F], f, between, flux *[TileRoom]F, crossed,
	list *[TileRoom]int32, counts, total *[tileWidth]int32) {
	w := s.work(t)
	for k := range w.load {
		s.load(k, w.x, w.y, f)
	}
	for k := range w.load {
		crossed[k] = s.mixedDonor(0, k, w.x, w.y, f, clock)
	}
	for x := range tileWidth {
		counts[x] = countColumn(crossed[:], int32(x), tileWidth, w.height)
	}
	for x := range tileWidth {
		total[x] = listColumn(list[:], crossed[:], counts[:], int32(x), tileWidth, w.height)
	}
	for n := range total[tileWidth-1] {
		flux[list[n]] = s.flux(0, list[n], w.x, w.y, f, clock, fine)
	}
	for k := range w.between {
		s.first(k, w.x, w.y, f, between, flux, clock)
	}
	for k := range w.load {
		crossed[k] = s.mixedDonor(1, k, w.x, w.y, between, clock)
	}
	for x := range tileWidth {
		counts[x] = countColumn(crossed[:], int32(x), tileWidth, w.height)
	}
	for x := range tileWidth {
		total[x] = listColumn(list[:], crossed[:], counts[:], int32(x), tileWidth, w.height)
	}
	for n := range total[tileWidth-1] {
		flux[list[n]] = s.flux(1, list[n], w.x, w.y, between, clock, fine)
	}
	for k := range w.cells {
		s.second(k, w.x, w.y, f, between, flux, clock)
	}
	for k := range w.mark {
		between[k] = F(s.kindOf(k, w.x, w.y, f))
	}
	for k := range w.mark / 16 {
		between[marks+k] = F(combineKinds(between, 16*k, 16))
	}
	for k := range w.copied {
		s.copyCell(k, w.x, w.y)
	}
	for range w.once {
		s.KindsAfter[w.tile] = w.kind
		if w.mark > 0 {
			s.KindsAfter[w.tile] = combineKinds(between, marks, marks/16)
		}
	}
}
