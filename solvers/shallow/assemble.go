package shallow

import (
	"cmp"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// assemble builds the edges and cells of a part, whose bed has the given depths in m. Edges between owned cells and at
// the boundary of the mesh come first, sorted by their lower cell, then edges that touch a ghost; innerEdges is the
// number of the former. Open edges at the boundary become outlets. An edge's geometry is computed from its left cell,
// so that both ranks that have the edge get the same bits.
func assemble[F num.Float](p *mesh.Part, depth []float64, out *outlets[F]) (m kernels.Mesh[F],
	innerEdges int, err error) {
	n := len(p.Cells)
	m.Owned = int32(p.Owned)
	m.Beds, m.CellEdges = make([]kernels.Bed[F], n), make([]kernels.CellEdges, p.Owned)
	parallel.Ranges(n, parallel.Parts(n, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.Beds[i] = kernels.Bed[F]{Depth: F(depth[i]), Area: F(p.Area(i))}
		}
	})
	a := assembler[F]{p: p, m: &m, starts: make([][]int, 2)}
	parts := parallel.Parts(p.Owned, cellsPerWorker)
	for kind, ghost := range []bool{false, true} {
		a.starts[kind] = parallel.Offsets(p.Owned, parts, func(i int) (count int) {
			for k := range 3 {
				if a.numbersEdge(i, k, ghost) {
					count++
				}
			}
			return count
		})
	}
	innerEdges = a.starts[0][parts]
	count := innerEdges + a.starts[1][parts]
	m.EdgeCells, m.Normals = make([]kernels.EdgeCells, count), make([]kernels.Normal[F], count)
	a.boundary, a.errs = make([][]boundaryEdge, parts), make([]error, parts)
	parallel.Ranges(p.Owned, parts, func(part, lo, hi int) {
		a.makeEdges(part, lo, hi, false, a.starts[0][part])
		a.makeEdges(part, lo, hi, true, innerEdges+a.starts[1][part])
	})
	if err := cmp.Or(a.errs...); err != nil {
		return m, 0, err
	}
	for _, edges := range a.boundary {
		for _, e := range edges {
			m.EdgeCells[e.id].Right = out.addEdge(p, e.cell, e.slot)
		}
	}
	m.Boundary = out.boundary
	return m, innerEdges, nil
}

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 5000

// assembler numbers and builds edges, in parallel over ranges of cells.
type assembler[F num.Float] struct {
	p        *mesh.Part
	m        *kernels.Mesh[F]
	starts   [][]int // first edge of each range of cells, for edges without and with a ghost
	boundary [][]boundaryEdge
	errs     []error
}

// boundaryEdge is an edge at the boundary.
type boundaryEdge struct {
	id, cell int32
	slot     int
}

// numbersEdge reports whether the edge at slot k of cell i (0 to 2) gets its number from this cell, the lower one of
// its two, and touches a ghost (ghost is true) or does not (false).
func (a *assembler[F]) numbersEdge(i, k int, ghost bool) bool {
	o := a.p.Neighbour[i][k]
	return (o < 0 || o > int32(i)) && (int(o) >= a.p.Owned) == ghost
}

// makeEdges builds those edges of the cells lo to hi-1 that touch a ghost, or do not, numbered from id. part is the
// number of the range of cells.
func (a *assembler[F]) makeEdges(part, lo, hi int, ghost bool, id int) {
	p, m := a.p, a.m
	for i := lo; i < hi; i++ {
		for k := range 3 {
			if !a.numbersEdge(i, k, ghost) {
				continue
			}
			o, isLeft, link := p.Neighbour[i][k], false, int32(id)
			if m.EdgeCells[id], m.Normals[id], isLeft = newEdge[F](p, int32(i), k); !isLeft {
				link = ^link
			}
			m.CellEdges[i].Edge[k] = link
			switch {
			case o < 0:
				a.boundary[part] = append(a.boundary[part], boundaryEdge{int32(id), int32(i), k})
			case int(o) < p.Owned:
				slot, err := slotFacing(p, o, int32(i))
				if err != nil {
					a.errs[part] = cmp.Or(a.errs[part], err)
					return
				}
				m.CellEdges[o].Edge[slot] = ^link
			}
			id++
		}
	}
}

// newEdge builds the edge at slot k of cell i, and reports whether i is its left cell. At the boundary, the right side
// is set later.
func newEdge[F num.Float](p *mesh.Part, i int32, k int) (e kernels.EdgeCells, n kernels.Normal[F], left bool) {
	a, b := p.Cells[i][k], p.Cells[i][(k+1)%3]
	e.Left, e.Right = i, p.Neighbour[i][k]
	left = true
	if e.Right >= 0 && p.Global[e.Right] < p.Global[i] {
		// The neighbour has the edge in the opposite direction.
		e.Left, e.Right, a, b, left = e.Right, i, b, a, false
	}
	dx, dy := p.Edge(a, b)
	length := math.Hypot(dx, dy)
	n.X, n.Y, n.Length = F(dy/length), F(-dx/length), F(length)
	return e, n, left
}

// slotFacing returns the slot of cell o whose neighbour is i.
func slotFacing(p *mesh.Part, o, i int32) (int, error) {
	for k, x := range p.Neighbour[o] {
		if x == i {
			return k, nil
		}
	}
	return 0, fmt.Errorf("cell %d has cell %d as a neighbour, but not vice versa", p.Global[i], p.Global[o])
}
