package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Bits of a tile's kind. A tile that is neither mixed nor adjacent to a tile of another kind does not change in a
// step; once both fields hold its values, it is inactive.
const (
	NotEmpty int32 = 1 << iota // a cell is not empty
	NotFull
	Synchronised // both fields are the same
	Mixed2       = NotEmpty | NotFull
)

// kindOf returns the kind of a piece of a tile, TileX·TileY/marks cells in a row.
func (s *Tiles2[F]) kindOf(k, x, y int32, f *[TileRoom]F) int32 {
	const length = TileX * TileY / tilePieces
	px, py := k*length%TileX, k*length/TileX
	kind := int32(0)
	for n := range int32(length) {
		if x+px+n >= s.N[0] || y+py >= s.N[1] {
			break
		}
		kind |= kindOfCell(f[shared(px+n, py)], s.RoundOff)
	}
	return kind
}

// kindOfCell returns the kind of one cell, which a sweep does not change if its neighbours are of the same kind.
func kindOfCell[F num.Float](f F, roundOff F) int32 {
	kind := int32(0)
	if !empty(f, roundOff) {
		kind |= NotEmpty
	}
	if !full(f, roundOff) {
		kind |= NotFull
	}
	return kind
}

// combineKinds returns the combined kind of several pieces.
func combineKinds[F num.Float](pieces *[TileRoom]F, first, n int32) int32 {
	kind := int32(0)
	for k := range n {
		kind |= int32(pieces[first+k])
	}
	return kind
}

// TileGhosts describes the tiles that cover deep ghosts, which after an exchange may have any values.
//
//atoll:constant
type TileGhosts[F num.Float] struct {
	Lattice
	N        [2]int32 // cells that tiles cover
	Tiles    [2]int32
	RoundOff F
	F        []F
	Second   []F
	Kinds    []int32 // of all tiles, for F
	Others   []int32 // of all tiles, for Second
	Order    []int32 // the tiles with ghosts
}

// RefreshGhostTile finds the kind of the t-th tile of Order by its cells in F, and copies these to the other field.
//
//atoll:kernel tile block=256
func RefreshGhostTile[F num.Float](t int, g *TileGhosts[F], pieces *[kindPieces]int32, groups *[kindGroups]int32) {
	tile := g.Order[t]
	for k := range int32(kindPieces) {
		pieces[k] = g.refresh(k, tile%g.Tiles[0]*TileX, tile/g.Tiles[0]*TileY)
	}
	for k := range int32(kindGroups) {
		groups[k] = combine(pieces[:], k, kindGroups, kindPieces/kindGroups)
	}
	for range 1 {
		kind := combine(groups[:], 0, 1, kindGroups) | Synchronised
		g.Kinds[tile] = kind
		g.Others[tile] = kind
	}
}

// refresh copies every kindPieces-th cell of the tile at (x, y), starting with number k, and returns their kind.
func (g *TileGhosts[F]) refresh(k, x, y int32) int32 {
	kind := int32(0)
	for at := k; at < TileX*TileY; at += kindPieces {
		i, j := x+at%TileX, y+at/TileX
		if i >= g.N[0] || j >= g.N[1] {
			continue
		}
		c := g.at(int(i), int(j), 0)
		f := g.F[c]
		g.Second[c] = f
		kind |= kindOfCell(f, g.RoundOff)
	}
	return kind
}

// KindOf returns, on the host, the kind of a row of cells: NotEmpty and NotFull.
func KindOf[F num.Float](row []F, roundOff F) int32 {
	kind := int32(0)
	for _, f := range row {
		kind |= kindOfCell(f, roundOff)
	}
	return kind
}
