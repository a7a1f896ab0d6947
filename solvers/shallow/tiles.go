package shallow

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// tile cuts the owned cells of a part into tiles: runs along a Hilbert curve, so that they are compact whatever the
// cells' own order is. Tiles of core cells come first, and core counts them; the rest is of boundary cells.
func tile[F num.Float](p *mesh.Part, m *kernels.Mesh[F]) (t *kernels.TiledMesh[F], core int, err error) {
	b := tiler[F]{mesh: m, maxEdges: tileEdges[F](p.Owned)}
	if b.order, err = curve(p); err != nil {
		return nil, 0, err
	}
	b.back = lookBack(p, b.order)
	b.to = kernels.TiledMesh[F]{Beds: m.Beds, Cells: make([]kernels.TileCell, p.Owned)}
	core = b.cut(0, p.Core)
	b.cut(p.Core, p.Owned)
	edges := b.next.Edge
	b.to.Tiles = append(b.to.Tiles, b.next)
	b.to.EdgeCells, b.to.Normals = make([]kernels.EdgeCells, edges), make([]kernels.Normal[F], edges)
	if m.Arms != nil {
		b.to.Arms = make([]kernels.Arms[F], edges)
	}
	tiles := len(b.to.Tiles) - 1
	parallel.Ranges(tiles, parallel.Parts(tiles, cellsPerWorker/kernels.TileCells), func(_, lo, hi int) {
		var n numbering
		for k := lo; k < hi; k++ {
			b.fill(k, &n)
		}
	})
	return &b.to, core, nil
}

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

// lookBack tells, for each cell of an order and each of its edges, how many places before it the cell across comes: 0
// if it does not, or more than a tile before.
func lookBack(p *mesh.Part, order []int32) [][3]uint8 {
	place := partition.Inverse(order)
	back := make([][3]uint8, len(order))
	parallel.Ranges(len(order), parallel.Parts(len(order), cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k, near := range p.Neighbour[order[i]] {
				if near < 0 || int(near) >= p.Owned {
					continue
				}
				if by := i - int(place[near]); by > 0 && by < kernels.TileCells {
					back[i][k] = uint8(by)
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
	back     [][3]uint8 // what lookBack gave for it
	maxEdges int        // of a tile
	to       kernels.TiledMesh[F]
	next     kernels.Tile // where another tile would begin
}

// tileEdges bounds the edges of a tile: as many as fit, or fewer on a small mesh, so that a whole GPU has work. A
// block processes 128 edges at a time, and a large GPU about 1250 blocks of float32 or 620 of float64.
func tileEdges[F num.Float](cells int) int {
	blocks, threads := 620, 128
	if single[F]() {
		blocks = 1250
	}
	rounds := (cells*17/10 + blocks*threads - 1) / (blocks * threads)
	return min(max(rounds, 1)*threads, kernels.TileEdges)
}

// cut decides where the tiles of the cells [lo, hi) of the order begin, and returns how many there are so far. A tile
// takes cells as long as they and their edges fit.
func (b *tiler[F]) cut(lo, hi int) (tiles int) {
	begin, edges := lo, 0
	end := func(at int) {
		if at > begin {
			b.to.Tiles = append(b.to.Tiles, b.next)
			b.next.Cell, b.next.Edge = int32(at), b.next.Edge+int32(edges)
			begin, edges = at, 0
		}
	}
	for i := lo; i < hi; i++ {
		more := b.newEdges(i, begin)
		if i-begin == kernels.TileCells || edges+more > b.maxEdges {
			end(i)
			more = b.newEdges(i, begin)
		}
		edges += more
	}
	end(hi)
	return len(b.to.Tiles)
}

// newEdges counts the edges that cell i of the order has in common with no earlier one of a tile.
func (b *tiler[F]) newEdges(i, begin int) int {
	n := 0
	for _, by := range b.back[i] {
		if by == 0 || i-int(by) < begin {
			n++
		}
	}
	return n
}

// numbering is scratch: the edges of a tile, which are met cell after cell.
type numbering struct {
	met   [kernels.TileCells][3]int32 // when the edges of each cell were
	edges []int32                     // of the mesh, as they were met
	own   []bool
	slot  []int32 // number in the tile
}

// fill writes a tile, its own edges first: those whose left cell it holds.
func (b *tiler[F]) fill(tile int, n *numbering) {
	begin, end := int(b.to.Tiles[tile].Cell), int(b.to.Tiles[tile+1].Cell)
	b.meet(begin, end, n)
	n.slot = append(n.slot[:0], n.edges...)
	first, slot := b.to.Tiles[tile].Edge, int32(0)
	for _, own := range []bool{true, false} {
		for i, e := range n.edges {
			if n.own[i] != own {
				continue
			}
			to := first + slot
			b.to.EdgeCells[to], b.to.Normals[to] = b.mesh.EdgeCells[e], b.mesh.Normals[e]
			if b.mesh.Arms != nil {
				b.to.Arms[to] = b.mesh.Arms[e]
			}
			n.slot[i] = slot
			slot++
		}
		if own {
			b.to.Tiles[tile].Own = slot
		}
	}
	for i, cell := range b.order[begin:end] {
		c := kernels.TileCell{Cell: cell}
		for k, link := range b.mesh.CellEdges[cell].Edge {
			_, right := bands.Side(link)
			c.Slots |= (n.slot[n.met[i][k]]<<1 | right) << (10 * k)
		}
		b.to.Cells[begin+i] = c
	}
}

// meet goes through the edges of the cells [begin, end) of the order.
func (b *tiler[F]) meet(begin, end int, n *numbering) {
	n.edges, n.own = n.edges[:0], n.own[:0]
	for i, cell := range b.order[begin:end] {
		for k, link := range b.mesh.CellEdges[cell].Edge {
			e, right := bands.Side(link)
			met := int32(len(n.edges))
			if by := int(b.back[begin+i][k]); by > 0 && by <= i {
				near := i - by
				for j, other := range b.mesh.CellEdges[b.order[begin+near]].Edge {
					if f, _ := bands.Side(other); f == e {
						met = n.met[near][j]
					}
				}
			}
			if int(met) == len(n.edges) {
				n.edges, n.own = append(n.edges, e), append(n.own, false)
			}
			n.met[i][k] = met
			n.own[met] = n.own[met] || right == 0
		}
	}
}
