package layout

import (
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// SolidPart is a rank's part of a mesh of tetrahedra. The rail of a span's vertex is a solid.Frame.
type SolidPart struct {
	Subdomain
	X, Y, Z []float64 // of vertices

	Spans  []solid.Span // of moving vertices, and an empty one at the end
	Near   []int32
	Sides  []solid.Side
	Frames []solid.Frame[float64]

	Cells      []solid.Cell // tetrahedra whose vertex of lowest id is owned
	CellGlobal []int32
	Edges      []solid.Edge // edges whose vertex of lower id is owned
	Skin       []solid.Side // faces on the boundary whose vertex of lowest id is owned
}

// Parts cuts the layout into one part for each rank; owner gives the rank of each vertex. Ranks may be empty.
func (l *Solid) Parts(owner []int32, ranks int) ([]*SolidPart, error) {
	c, err := newCutter(l.plan, owner, ranks)
	if err != nil {
		return nil, err
	}
	x := &solidCutter{cutter: c, layout: l, skin: make([][]int32, ranks)}
	x.findGhosts()
	c.arrange()
	parts := make([]*SolidPart, ranks)
	for r := range ranks {
		parts[r] = x.part(r)
	}
	return parts, nil
}

// solidCutter makes the parts of all ranks.
type solidCutter struct {
	*cutter
	layout *Solid
	skin   [][]int32 // boundary faces of each rank
}

// findGhosts finds the ghosts of each rank, the vertices of cells with an owned vertex, and assigns cells, edges and
// boundary faces to the rank of their lowest vertex, which measures them.
func (c *solidCutter) findGhosts() {
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
	for i, f := range l.skin {
		r := c.owner[min(f.V[0], f.V[1], f.V[2])]
		c.skin[r] = append(c.skin[r], int32(i))
	}
	c.addGhosts(moves)
}

// part makes the part of a rank whose vertices are sorted.
func (c *solidCutter) part(r int) *SolidPart {
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
		if l.free[v].Axes == 0 {
			p.Bent++
		}
	}
	for i, v := range p.Global[:last] {
		p.Spans = append(p.Spans, solid.Span{FirstNeighbour: int32(len(p.Near)), FirstSide: int32(len(p.Sides))})
		if !c.moves(r, &p.Subdomain, i) {
			continue
		}
		for _, u := range l.links.Of(v) {
			p.Near = append(p.Near, c.local[u])
		}
		for _, corner := range l.links.CornersOf(v) {
			p.Sides = append(p.Sides, c.side(s.FaceOpposite(corner/4, int(corner%4))))
		}
	}
	p.Spans = append(p.Spans, solid.Span{FirstNeighbour: int32(len(p.Near)), FirstSide: int32(len(p.Sides))})
	p.CellGlobal = c.cells[r]
	for _, id := range p.CellGlobal {
		v := s.Cells[id]
		p.Cells = append(p.Cells, solid.Cell{At: [4]int32{c.local[v[0]], c.local[v[1]], c.local[v[2]], c.local[v[3]]}})
	}
	for i, v := range p.Global[:p.Owned] {
		for _, u := range l.links.Of(v) {
			if v < u {
				p.Edges = append(p.Edges, solid.Edge{A: int32(i), B: c.local[u]})
			}
		}
	}
	for _, i := range c.skin[r] {
		p.Skin = append(p.Skin, c.side(l.skin[i].V))
	}
	for _, v := range p.Global {
		c.local[v] = -1
	}
	return p
}

func (c *solidCutter) side(v [3]int32) solid.Side {
	return solid.Side{A: c.local[v[0]], B: c.local[v[1]], C: c.local[v[2]]}
}
