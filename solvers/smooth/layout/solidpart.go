package layout

import (
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// SolidPart is a rank's part of a mesh of tetrahedra. Sliding vertices have a solid.Frame in place of a rail.
type SolidPart struct {
	Subdomain
	X, Y, Z []float64 // of vertices

	Spans       []solid.Span           // of moving vertices, and an empty one at the end
	Neighbours  []int32                // neighbours of the vertices, for each those of its span
	CavityFaces []solid.Face           // faces opposite to a vertex in the tetrahedra around it, as Neighbours
	Frames      []solid.Frame[float64] // of sliding vertices

	Cells         []solid.Cell // tetrahedra whose vertex of lowest id is owned
	CellGlobal    []int32
	Edges         []solid.Edge // edges whose vertex of lower id is owned
	BoundaryFaces []solid.Face // faces on the boundary whose vertex of lowest id is owned
}

// Parts makes the parts of all ranks; owner gives the rank of each vertex. Ranks may be empty.
func (l *Solid) Parts(owner []int32, ranks int) ([]*SolidPart, error) {
	x, err := l.maker(owner, ranks)
	if err != nil {
		return nil, err
	}
	parts := make([]*SolidPart, ranks)
	for r := range ranks {
		parts[r] = x.part(r)
	}
	return parts, nil
}

// maker returns the maker of parts, with all their vertices in order.
func (l *Solid) maker(owner []int32, ranks int) (*solidPartMaker, error) {
	c, err := newPartMaker(l.layout, owner, ranks)
	if err != nil {
		return nil, err
	}
	x := &solidPartMaker{partMaker: c, layout: l, boundaryFaces: make([][]int32, ranks)}
	x.findGhosts()
	c.sortVertices()
	return x, nil
}

// solidPartMaker makes the parts of all ranks.
type solidPartMaker struct {
	*partMaker
	layout        *Solid
	boundaryFaces [][]int32 // boundary faces of each rank
}

// findGhosts finds the ghosts of each rank, the vertices of cells with an owned vertex, and assigns cells, edges and
// boundary faces to the rank of their lowest vertex, which measures them.
func (c *solidPartMaker) findGhosts() {
	l := c.layout
	moves := c.ghostMoves()
	c.cells = make([][]int32, len(c.owned))
	for id, cell := range l.solid.Cells {
		lowest := c.owner[min(cell[0], cell[1], cell[2], cell[3])]
		c.cells[lowest] = append(c.cells[lowest], int32(id))
		for _, v := range cell {
			r := c.owner[v]
			for _, u := range cell {
				if c.owner[u] != r {
					moves[r][u] = 0
				}
			}
		}
	}
	for i, f := range l.boundaryFaces {
		r := c.owner[min(f.V[0], f.V[1], f.V[2])]
		c.boundaryFaces[r] = append(c.boundaryFaces[r], int32(i))
	}
	c.addGhosts(moves)
}

// part makes the part of a rank whose vertices are sorted.
func (c *solidPartMaker) part(r int) *SolidPart {
	l, s := c.layout, c.layout.solid
	p := &SolidPart{}
	var sliding []int32
	var last int
	p.Subdomain, sliding, last = c.subdomain(r)
	for _, v := range p.Global {
		p.X, p.Y, p.Z = append(p.X, s.X[v]), append(p.Y, s.Y[v]), append(p.Z, s.Z[v])
	}
	for _, v := range sliding {
		p.Frames = append(p.Frames, l.frame(v))
		if l.freedoms[v].Axes == 0 {
			p.OnCurves++
		}
	}
	for i, v := range p.Global[:last] {
		p.Spans = append(p.Spans, solid.Span{FirstNeighbour: int32(len(p.Neighbours)), FirstFace: int32(len(p.CavityFaces))})
		if !c.movesHere(r, &p.Subdomain, i) {
			continue
		}
		for _, u := range l.adjacency.Of(v) {
			p.Neighbours = append(p.Neighbours, c.local[u])
		}
		for _, corner := range l.adjacency.CornersOf(v) {
			p.CavityFaces = append(p.CavityFaces, c.face(s.FaceOpposite(corner/4, int(corner%4))))
		}
	}
	p.Spans = append(p.Spans, solid.Span{FirstNeighbour: int32(len(p.Neighbours)), FirstFace: int32(len(p.CavityFaces))})
	p.CellGlobal = c.cells[r]
	for _, id := range p.CellGlobal {
		v := s.Cells[id]
		p.Cells = append(p.Cells, solid.Cell{At: [4]int32{c.local[v[0]], c.local[v[1]], c.local[v[2]], c.local[v[3]]}})
	}
	for i, v := range p.Global[:p.Owned] {
		for _, u := range l.adjacency.Of(v) {
			if v < u {
				p.Edges = append(p.Edges, solid.Edge{A: int32(i), B: c.local[u]})
			}
		}
	}
	for _, i := range c.boundaryFaces[r] {
		p.BoundaryFaces = append(p.BoundaryFaces, c.face(l.boundaryFaces[i].V))
	}
	for _, v := range p.Global {
		c.local[v] = -1
	}
	return p
}

func (c *solidPartMaker) face(v [3]int32) solid.Face {
	return solid.Face{A: c.local[v[0]], B: c.local[v[1]], C: c.local[v[2]]}
}
