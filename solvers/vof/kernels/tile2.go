package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// A tile is a rectangle of cells that a block of a GPU's threads takes through both sweeps of a step at once. What lies
// between the sweeps stays in memory that the block shares, with a rim as wide as a step reaches: a donor next to the
// cell and the neighbours that its plane depends on, for either sweep.
const (
	TileX, TileY = 32, 32
	TileReach    = 3
	tileWidth    = TileX + 2*TileReach
	TileRoom     = tileWidth * (TileY + 2*TileReach)

	betweenX, betweenY = TileX + 4, TileY + 4 // cells that the second sweep may ask for
	marks              = 256                  // pieces of a tile whose kinds are found apart
)

// Tiles2 is a step in the plane, over tiles, x fastest. Beyond walls lies what is next to them; beyond other sides F
// and the velocities have TileReach layers of ghosts. Heights reach too far for tiles.
//
//atoll:constant
type Tiles2[F num.Float] struct {
	Lattice
	Axis   int32    // of the first sweep
	N      [2]int32 // cells of the block
	Tiles  [2]int32
	Open   [2][2]int32 // TileReach where there are ghosts, 0 at walls: along each axis, below and above
	Kinds  [2]int32    // of the sweeps
	Normal int32
	Nudge  F
	Dust   F
	F, Out []F
	U, V   []F     // velocity through lower faces
	Was    []int32 // kinds of tiles: NotEmpty and others, Mixed2 at first
	Is     []int32 // after the step
	Order  []int32 // tiles to do: others have nothing to do, and both fields hold them
	Count  []int32 // one: how many these are
}

// tileWork is where a tile begins and how many turns its loops take.
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
		crossed[k] = s.crosses(0, k, w.x, w.y, f, clock)
	}
	for x := range tileWidth {
		counts[x] = counted(crossed[:], int32(x), tileWidth, w.height)
	}
	for x := range tileWidth {
		total[x] = listed(list[:], crossed[:], counts[:], int32(x), tileWidth, w.height)
	}
	for n := range total[tileWidth-1] {
		flux[list[n]] = s.flux(0, list[n], w.x, w.y, f, clock, fine)
	}
	for k := range w.between {
		s.first(k, w.x, w.y, f, between, flux, clock)
	}
	for k := range w.load {
		crossed[k] = s.crosses(1, k, w.x, w.y, between, clock)
	}
	for x := range tileWidth {
		counts[x] = counted(crossed[:], int32(x), tileWidth, w.height)
	}
	for x := range tileWidth {
		total[x] = listed(list[:], crossed[:], counts[:], int32(x), tileWidth, w.height)
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
		between[marks+k] = F(merged(between, 16*k, 16))
	}
	for k := range w.copied {
		s.copied(k, w.x, w.y)
	}
	for range w.once {
		s.Is[w.tile] = w.kind
		if w.mark > 0 {
			s.Is[w.tile] = merged(between, marks, marks/16)
		}
	}
}
