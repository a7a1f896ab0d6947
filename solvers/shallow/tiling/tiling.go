// Package tiling cuts a rank's part of a mesh into tiles, which the blocks of a GPU's threads advance.
package tiling

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// New divides the owned cells of a part into tiles: sequences of cells along a Hilbert curve, so that they are
// compact for any order of the cells. First come the tiles of core cells, core in number, and then those of boundary
// cells. Something but flow may bring water into sources, and the bed may be moving.
func New[F num.Float](p *mesh.Part, m *kernels.Mesh[F], sources []int32, moving bool) (t *kernels.TiledMesh[F],
	core int, err error) {
	b := tiler[F]{mesh: m, maxEdges: tileEdges[F](p.Owned)}
	if b.order, err = curve(p); err != nil {
		return nil, 0, err
	}
	b.back = distancesBack(p, b.order)
	b.tiled = kernels.TiledMesh[F]{Beds: m.Beds, Cells: make([]kernels.TileCell, p.Owned)}
	core = b.cut(0, p.Core)
	b.cut(p.Core, p.Owned)
	edges := b.next.Edge
	b.tiled.Tiles = append(b.tiled.Tiles, b.next)
	b.tiled.EdgeCells, b.tiled.Normals = make([]kernels.EdgeCells, edges), make([]kernels.Normal[F], edges)
	if m.Arms != nil {
		b.tiled.Arms = make([]kernels.Arms[F], edges)
	}
	tiles := len(b.tiled.Tiles) - 1
	parallel.Ranges(tiles, parallel.Parts(tiles, cellsPerWorker/kernels.TileCells), func(_, lo, hi int) {
		var n numbering
		for k := lo; k < hi; k++ {
			b.fill(k, &n)
		}
	})
	if m.Arms != nil { // second order
		b.findWet(p.Owned, sources, moving)
	}
	return &b.tiled, core, nil
}

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 5000

// curve orders core cells, and after them boundary cells, along a Hilbert curve.
func curve(p *mesh.Part) ([]int32, error) {
	x, y := make([]float64, p.Owned), make([]float64, p.Owned)
	parallel.Ranges(p.Owned, parallel.Parts(p.Owned, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i], y[i] = p.Centroid(i)
		}
	})
	core, err := partition.HilbertOrder(x[:p.Core], y[:p.Core])
	if err != nil {
		return nil, err
	}
	boundary, err := partition.HilbertOrder(x[p.Core:], y[p.Core:])
	if err != nil {
		return nil, err
	}
	for _, i := range boundary {
		core = append(core, int32(p.Core)+i)
	}
	return core, nil
}

// distancesBack returns, for each cell of an order and each of its edges, how many positions before it in the order the
// cell across the edge comes; 0 if that comes after it, or earlier than the cells of a tile.
func distancesBack(p *mesh.Part, order []int32) [][3]uint8 {
	position := partition.Inverse(order)
	back := make([][3]uint8, len(order))
	parallel.Ranges(len(order), parallel.Parts(len(order), cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k, neighbour := range p.Neighbour[order[i]] {
				if neighbour < 0 || int(neighbour) >= p.Owned {
					continue
				}
				if distance := i - int(position[neighbour]); distance > 0 && distance < kernels.TileCells {
					back[i][k] = uint8(distance)
				}
			}
		}
	})
	return back
}

// tiler cuts cells into tiles.
type tiler[F num.Float] struct {
	mesh     *kernels.Mesh[F]
	order    []int32    // of the cells
	back     [][3]uint8 // distancesBack of the order
	maxEdges int        // largest number of edges of a tile
	tiled    kernels.TiledMesh[F]
	next     kernels.Tile // where another tile would begin
}

// tileEdges bounds the edges of a tile: as many as fit into shared memory, or fewer on a small mesh, so that a whole
// GPU has work. A thread block processes 128 edges at a time, and a large GPU runs about 1250 blocks of float32 or 620
// of float64. A mesh has about 1.5 edges per cell; the factor 1.7 includes those between tiles, which both have.
func tileEdges[F num.Float](cells int) int {
	blocks, threads := 620, 128
	if unsafe.Sizeof(F(0)) == 4 {
		blocks = 1250
	}
	rounds := (cells*17/10 + blocks*threads - 1) / (blocks * threads)
	return min(max(rounds, 1)*threads, kernels.TileEdges)
}

// cut decides where the tiles of the cells [lo, hi) of the order begin, and returns how many there are so far. A tile
// takes cells as long as they and their edges fit.
func (b *tiler[F]) cut(lo, hi int) (tiles int) {
	begin, edges := lo, 0
	endTile := func(at int) {
		if at > begin {
			b.tiled.Tiles = append(b.tiled.Tiles, b.next)
			b.next.Cell, b.next.Edge = int32(at), b.next.Edge+int32(edges)
			begin, edges = at, 0
		}
	}
	for i := lo; i < hi; i++ {
		added := b.newEdges(i, begin)
		if i-begin == kernels.TileCells || edges+added > b.maxEdges {
			endTile(i)
			added = b.newEdges(i, begin)
		}
		edges += added
	}
	endTile(hi)
	return len(b.tiled.Tiles)
}

// newEdges counts the edges that cell i of the order has in common with no earlier one of a tile.
func (b *tiler[F]) newEdges(i, begin int) int {
	n := 0
	for _, distance := range b.back[i] {
		if distance == 0 || i-int(distance) < begin {
			n++
		}
	}
	return n
}

// numbering numbers the edges of a tile, which are collected cell by cell. Its arrays are reused for the next tile.
type numbering struct {
	indices [kernels.TileCells][3]int32 // indices in edges of the edges of each cell
	edges   []int32                     // numbers in the mesh, in the order in which they were collected
	own     []bool                      // of each edge: its left cell is in the tile
	slot    []int32                     // of each edge: its number in the tile
}

// fill writes a tile. Its own edges come first: those whose left cell is in the tile.
func (b *tiler[F]) fill(tile int, n *numbering) {
	begin, end := int(b.tiled.Tiles[tile].Cell), int(b.tiled.Tiles[tile+1].Cell)
	b.collectEdges(begin, end, n)
	n.slot = append(n.slot[:0], n.edges...)
	first, slot := b.tiled.Tiles[tile].Edge, int32(0)
	for _, own := range []bool{true, false} {
		for i, e := range n.edges {
			if n.own[i] != own {
				continue
			}
			to := first + slot
			b.tiled.EdgeCells[to], b.tiled.Normals[to] = b.mesh.EdgeCells[e], b.mesh.Normals[e]
			if b.mesh.Arms != nil {
				b.tiled.Arms[to] = b.mesh.Arms[e]
			}
			n.slot[i] = slot
			slot++
		}
		if own {
			b.tiled.Tiles[tile].Own = slot
		}
	}
	for i, cell := range b.order[begin:end] {
		c := kernels.TileCell{Cell: cell}
		for k, link := range b.mesh.CellEdges[cell].Edge {
			_, right := bands.Side(link)
			c.Slots |= (n.slot[n.indices[i][k]]<<1 | right) << (10 * k)
		}
		b.tiled.Cells[begin+i] = c
	}
}

// collectEdges collects the edges of the cells [begin, end) of the order, each once.
func (b *tiler[F]) collectEdges(begin, end int, n *numbering) {
	n.edges, n.own = n.edges[:0], n.own[:0]
	for i, cell := range b.order[begin:end] {
		for k, link := range b.mesh.CellEdges[cell].Edge {
			e, right := bands.Side(link)
			index := int32(len(n.edges))
			if distance := int(b.back[begin+i][k]); distance > 0 && distance <= i {
				earlier := i - distance
				for j, other := range b.mesh.CellEdges[b.order[begin+earlier]].Edge {
					if f, _ := bands.Side(other); f == e {
						index = n.indices[earlier][j]
					}
				}
			}
			if int(index) == len(n.edges) {
				n.edges, n.own = append(n.edges, e), append(n.own, false)
			}
			n.indices[i][k] = index
			n.own[index] = n.own[index] || right == 0
		}
	}
}
