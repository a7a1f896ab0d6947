package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// A tile is a rectangle of cells that a block of a GPU's threads takes through both sweeps of a step at once. The field
// between the sweeps stays in shared memory, with a margin as wide as a step reaches: a donor next to the cell and the
// neighbours that its plane depends on, for either sweep.
const (
	TileX, TileY = 32, 32
	TileReach    = 3
	tileWidth    = TileX + 2*TileReach
	TileRoom     = tileWidth * (TileY + 2*TileReach)

	betweenX, betweenY = TileX + 4, TileY + 4 // cells that the second sweep may ask for
	marks              = 256                  // pieces of a tile whose kinds are found separately
)

// Tiles2 is a step in the plane, over tiles, x fastest. Beyond walls lies what is next to them; beyond other sides F
// and the velocities have TileReach layers of ghosts. Heights reach too far for tiles.
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
	Order          []int32 // tiles to do: in others nothing changes, and both fields are the same
	Count          []int32 // one: how many these are
}

// tileWork is where a tile begins and how many iterations its loops take.
type tileWork struct {
	x, y                       int32
	load, between, cells, mark int32
	height                     int32 // of the columns of faces
	copied, once               int32
	tile, kind                 int32
}

// TileStep2 takes the cells of the t-th tile of Order from F to Out, as Advance2 does by two sweeps: to the last bit.
// Normals are found by Youngs or Mixed, or in the fine variant by any way but Heights: without ELVIRA and LVIRA a
// thread takes half of the registers. Faces with a mixed donor are listed before each sweep, so that no thread waits
// while another one finds a flux, and each is found once.
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
