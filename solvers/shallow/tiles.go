package shallow

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// tile cuts the owned cells of a part into tiles: runs along a Hilbert curve, so that they are compact whatever the
// cells' own order is. Tiles of core cells come first, and core counts them; the rest is of boundary cells.
func tile[F num.Float](p *mesh.Part, m *kernels.Mesh[F]) (t *kernels.TiledMesh[F], core int, err error) {
	order, err := curve(p)
	if err != nil {
		return nil, 0, err
	}
	t = &kernels.TiledMesh[F]{Beds: m.Beds, Cells: make([]kernels.TileCell, 0, p.Owned)}
	// Seven of eight edges are inside of a tile.
	edges := len(m.EdgeCells) + len(m.EdgeCells)/7
	t.EdgeCells, t.Normals = make([]kernels.EdgeCells, 0, edges), make([]kernels.Normal[F], 0, edges)
	t.Tiles = make([]kernels.Tile, 0, edges/kernels.TileEdges+edges/kernels.TileEdges/8+2)

	b := tiler[F]{mesh: m, to: t, slot: make([]int32, len(m.EdgeCells)), maxEdges: tileEdges[F](p.Owned)}
	for i := range b.slot {
		b.slot[i] = -1
	}
	for i, cell := range order {
		if i == p.Core {
			b.finish()
			core = len(t.Tiles)
		}
		if len(b.cells) == kernels.TileCells || len(b.edges)+b.newEdges(cell) > b.maxEdges {
			b.finish()
		}
		b.add(cell)
	}
	b.finish()
	if p.Core == p.Owned {
		core = len(t.Tiles)
	}
	t.Tiles = append(t.Tiles, b.next())
	return t, core, nil
}

// curve orders core cells, and after them boundary cells, along a Hilbert curve.
func curve(p *mesh.Part) ([]int32, error) {
	x, y := make([]float64, p.Owned), make([]float64, p.Owned)
	for i := range x {
		x[i], y[i] = p.Centroid(i)
	}
	order := make([]int32, 0, p.Owned)
	for _, r := range [][2]int{{0, p.Core}, {p.Core, p.Owned}} {
		perm, err := partition.HilbertOrder(x[r[0]:r[1]], y[r[0]:r[1]])
		if err != nil {
			return nil, err
		}
		for _, i := range perm {
			order = append(order, int32(r[0])+i)
		}
	}
	return order, nil
}

// tiler collects the cells and edges of a tile.
type tiler[F num.Float] struct {
	mesh     *kernels.Mesh[F]
	to       *kernels.TiledMesh[F]
	cells    []int32
	edges    []int32 // of the mesh, in the order in which they were met
	slot     []int32 // of each edge of the mesh, -1 where it is not in the tile
	maxEdges int     // of a tile
}

// tileEdges bounds the edges of a tile: as many as fit, or fewer on a small mesh, so that all of a GPU has work. A
// block takes 128 edges at a time, and a large GPU some 1250 blocks of float32 or 620 of float64.
func tileEdges[F num.Float](cells int) int {
	blocks, threads := 620, 128
	if single[F]() {
		blocks = 1250
	}
	rounds := (cells*17/10 + blocks*threads - 1) / (blocks * threads)
	return min(max(rounds, 1)*threads, kernels.TileEdges)
}

func side(link int32) (edge, right int32) {
	right = -(link >> 31)
	return link ^ -right, right
}

// newEdges counts the edges that a cell would add.
func (b *tiler[F]) newEdges(cell int32) int {
	n := 0
	for _, link := range b.mesh.CellEdges[cell].Edge {
		if e, _ := side(link); b.slot[e] < 0 {
			n++
		}
	}
	return n
}

func (b *tiler[F]) add(cell int32) {
	b.cells = append(b.cells, cell)
	for _, link := range b.mesh.CellEdges[cell].Edge {
		if e, _ := side(link); b.slot[e] < 0 {
			b.slot[e] = 0
			b.edges = append(b.edges, e)
		}
	}
}

// next is where a tile would begin.
func (b *tiler[F]) next() kernels.Tile {
	return kernels.Tile{Cell: int32(len(b.to.Cells)), Edge: int32(len(b.to.EdgeCells))}
}

// finish writes the tile, its own edges first: those whose left cell it holds.
func (b *tiler[F]) finish() {
	if len(b.cells) == 0 {
		return
	}
	tile, t := b.next(), b.to
	for _, cell := range b.cells {
		for _, link := range b.mesh.CellEdges[cell].Edge {
			if e, right := side(link); right == 0 {
				b.slot[e] = -2
			}
		}
	}
	count := int32(0)
	for _, mark := range []int32{-2, 0} {
		for _, e := range b.edges {
			if b.slot[e] == mark {
				t.EdgeCells, t.Normals = append(t.EdgeCells, b.mesh.EdgeCells[e]), append(t.Normals, b.mesh.Normals[e])
				if b.mesh.Arms != nil {
					t.Arms = append(t.Arms, b.mesh.Arms[e])
				}
				count++
				b.slot[e] = count
			}
		}
		if mark == -2 {
			tile.Own = count
		}
	}
	for _, cell := range b.cells {
		c := kernels.TileCell{Cell: cell}
		for k, link := range b.mesh.CellEdges[cell].Edge {
			e, right := side(link)
			c.Slots |= ((b.slot[e]-1)<<1 | right) << (10 * k)
		}
		t.Cells = append(t.Cells, c)
	}
	for _, e := range b.edges {
		b.slot[e] = -1
	}
	t.Tiles = append(t.Tiles, tile)
	b.cells, b.edges = b.cells[:0], b.edges[:0]
}
