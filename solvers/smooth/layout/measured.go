package layout

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Diagnostics of a triangle are computed by the rank of its lowest vertex, those of an edge by that of its lower
// vertex.

// edge is between two vertices, the lower one first.
type edge struct {
	a, b   int32
	border bool
}

// divideCells assigns triangles to ranks, and finds the loose edges.
func (c *partMaker) divideCells() error {
	cells := c.layout.mesh.Cells
	owners := make([]int32, len(cells))
	parallel.Ranges(len(cells), parallel.Parts(len(cells), 20_000), func(_, lo, hi int) {
		for i, cell := range cells[lo:hi] {
			owners[lo+i] = c.owner[min(cell[0], cell[1], cell[2])]
		}
	})
	var err error
	c.cells, err = partition.Split(owners, len(c.owned))
	c.loose = c.layout.looseEdges()
	return err
}

// looseEdges finds the edges whose lower vertex is irregular, and so has no ring that contains them.
func (l *Layout) looseEdges() (all []edge) {
	index := map[[2]int32]int{}
	for _, cell := range l.mesh.Cells {
		for k, a := range cell {
			b := cell[(k+1)%3]
			a, b = min(a, b), max(a, b)
			if l.rings.Class[a] != mesh.Irregular {
				continue
			}
			if i, seen := index[[2]int32{a, b}]; seen {
				all[i].border = false
				continue
			}
			index[[2]int32{a, b}] = len(all)
			all = append(all, edge{a, b, true})
		}
	}
	return all
}

// addMeasured adds the triangles and edges that a rank measures to its part: for each vertex the edges to vertices
// of higher ids, and then the loose edges.
func (c *partMaker) addMeasured(r int, p *Part) {
	l := c.layout
	p.CellGlobal = c.cells[r]
	p.Cells = make([]kernels.Cell, len(p.CellGlobal))
	parallel.Ranges(len(p.Cells), parallel.Parts(len(p.Cells), 10_000), func(_, lo, hi int) {
		for i, id := range p.CellGlobal[lo:hi] {
			v := l.mesh.Cells[id]
			p.Cells[lo+i] = kernels.Cell{At: [3]int32{c.local[v[0]], c.local[v[1]], c.local[v[2]]}}
		}
	})
	var loose []edge
	for _, e := range c.loose {
		if int(c.owner[e.a]) == r {
			loose = append(loose, e)
		}
	}
	parts := parallel.Parts(p.Owned, 10_000)
	start := parallel.Offsets(p.Owned, parts, func(i int) (n int) {
		for _, u := range l.rings.Of(p.Global[i]) {
			if u > p.Global[i] {
				n++
			}
		}
		return n
	})
	n := start[parts]
	p.Edges, p.OnBoundary = make([]kernels.Edge, n+len(loose)), make([]bool, n+len(loose))
	parallel.Ranges(p.Owned, parts, func(part, lo, hi int) {
		next := start[part]
		for i := lo; i < hi; i++ {
			v := p.Global[i]
			ring := l.rings.Of(v)
			for k, u := range ring {
				if u > v {
					p.Edges[next] = kernels.Edge{A: int32(i), B: c.local[u]}
					p.OnBoundary[next] = l.rings.Class[v] == mesh.Border && (k == 0 || k == len(ring)-1)
					next++
				}
			}
		}
	})
	for k, e := range loose {
		p.Edges[n+k], p.OnBoundary[n+k] = kernels.Edge{A: c.local[e.a], B: c.local[e.b]}, e.border
	}
}
