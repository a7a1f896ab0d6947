package smooth

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Subdomain is how the vertices of one rank are arranged. They are numbered owned | ghosts. Owned ones are in the order
// of their sets, those of no set last; within a set those that other ranks need come first; within these, vertices that
// slide come last, and before them those that are in no strip; then the layout's order holds, or that of clusters and
// of the turns in each. Of ghosts come first those that other ranks move: by set, unless one exchange
// does for all sets, and then by rank and id. Those that nobody moves follow, and then copies, by set.
type Subdomain struct {
	Global  []int32 // id of each vertex in the whole mesh
	Owned   int
	Sets    int
	Colours int // of vertices, or of clusters

	First  []Span // of each set, the owned vertices that other ranks need
	Rest   []Span // of each set, the other owned vertices
	Copies []Span // of each set, the ghosts that this rank moves too, so that no rank needs to tell it

	Strips [][]Range // of each strip and set, the inner vertices: they are the first of Rest
	Rim    []int32   // of each set, where those of Rest begin that are no inner vertices

	// Plans are the exchanges after each set, or the one after a sweep where Copies are moved. What comes before a
	// plan's ghosts counts as owned in it, and what comes after them is not its concern.
	Plans []*halo.Plan
	Deep  bool

	// Clustered tells that neighbours within a set follow each other in a cluster, each of which begins at one of
	// Clusters.
	Clustered bool
	Clusters  []int32
}

// Part is what one rank works on.
type Part struct {
	Subdomain
	X, Y []float64 // of vertices

	Rings []kernels.Ring // of vertices that move here
	More  []int32
	Rails []kernels.Rail[float64]

	Cells      []kernels.Cell // triangles whose vertex of lowest id is owned
	CellGlobal []int32
	Edges      []kernels.Edge // edges whose vertex of lower id is owned
	Border     []bool         // whether an edge is on the boundary
}

// Span is the vertices [Lo, Hi) of a set. Those from Slide on slide: vertex i on rail i-Slide+Rail.
type Span struct{ Lo, Slide, Hi, Rail int32 }

// Parts cuts the layout into one part a rank, owner giving the rank of each vertex. Ranks may be empty.
func (l *Layout) Parts(owner []int32, ranks int) ([]*Part, error) {
	c, err := newCutter(l, owner, ranks)
	if err != nil {
		return nil, err
	}
	c.spread()
	for r := range ranks {
		c.arrange(r)
	}
	parts, all := make([]*Part, ranks), make([]*Subdomain, ranks)
	for r := range ranks {
		parts[r] = c.part(r)
		all[r] = &parts[r].Subdomain
	}
	c.plan(all)
	return parts, nil
}

// ghost is a vertex of another rank; a copy if it is moved here too.
type ghost struct {
	vertex int32
	copied bool
}

// edge is between two vertices, the lower first.
type edge struct {
	a, b   int32
	border bool
}

// cutter makes the parts of all ranks.
type cutter struct {
	layout *Layout
	owner  []int32 // whole clusters are of one rank
	owned  [][]int32
	ghosts [][]ghost
	cells  [][]int32
	edges  [][]edge
	needed []bool // by other ranks, as they are after a set
	inner  []bool // of a strip
	local  []int32
}

func newCutter(l *Layout, owner []int32, ranks int) (*cutter, error) {
	if len(owner) != len(l.class) {
		return nil, fmt.Errorf("%d owners for %d vertices", len(owner), len(l.class))
	}
	c := &cutter{layout: l, owner: owner, owned: make([][]int32, ranks), ghosts: make([][]ghost, ranks),
		cells: make([][]int32, ranks), edges: make([][]edge, ranks), needed: make([]bool, len(owner)),
		inner: make([]bool, len(owner)), local: make([]int32, len(owner))}
	for v, r := range owner {
		if r < 0 || int(r) >= ranks {
			return nil, fmt.Errorf("vertex %d is given to rank %d of %d", v, r, ranks)
		}
	}
	if l.cluster != nil {
		c.owner = l.wholeClusters(owner)
	}
	for v, r := range c.owner {
		c.owned[r] = append(c.owned[r], int32(v))
		c.local[v] = -1
	}
	return c, nil
}

// arrange puts the vertices of a rank in order.
func (c *cutter) arrange(r int) {
	l := c.layout
	c.findInner(r)
	late := func(v int32) int {
		switch {
		case c.needed[v]:
			return 0
		case c.inner[v]:
			return 1
		case l.class[v] == free:
			return 2
		}
		return 3
	}
	// Of vertices that move together.
	within := func(a, b int32) int {
		k := cmp.Compare(l.class[a], l.class[b])
		if l.clustered() {
			k = cmp.Or(k, cmp.Compare(l.cluster[a], l.cluster[b]), cmp.Compare(l.turn[a], l.turn[b]))
		}
		return cmp.Or(k, cmp.Compare(l.place[a], l.place[b]))
	}
	slices.SortFunc(c.owned[r], func(a, b int32) int {
		return cmp.Or(cmp.Compare(l.set[a], l.set[b]), cmp.Compare(late(a), late(b)), within(a, b))
	})
	slices.SortFunc(c.ghosts[r], func(a, b ghost) int {
		v, w := a.vertex, b.vertex
		if k := cmp.Compare(c.kind(a), c.kind(b)); k != 0 {
			return k
		}
		if a.copied {
			return cmp.Or(cmp.Compare(l.set[v], l.set[w]), within(v, w))
		}
		if !l.options.Deep && l.set[v] != l.set[w] {
			return cmp.Compare(l.set[v], l.set[w])
		}
		return cmp.Or(cmp.Compare(c.owner[v], c.owner[w]), cmp.Compare(v, w))
	})
}

// kind orders ghosts by who moves them: their rank, nobody, this rank.
func (c *cutter) kind(g ghost) int {
	switch {
	case g.copied:
		return 2
	case c.layout.class[g.vertex] == fixed:
		return 1
	}
	return 0
}

// subdomain numbers the vertices of a rank, which are in order, and returns those that slide here, in the order of
// their rails, and how many vertices there are up to the last that moves here.
func (c *cutter) subdomain(r int) (p Subdomain, sliding []int32, last int) {
	l := c.layout
	p = Subdomain{Global: make([]int32, 0, len(c.owned[r])+len(c.ghosts[r])), Owned: len(c.owned[r]), Sets: l.sets,
		Colours: l.colours, Deep: l.options.Deep, Clustered: l.clustered(), First: make([]Span, l.sets),
		Rest: make([]Span, l.sets), Copies: make([]Span, l.sets)}
	p.Global = append(p.Global, c.owned[r]...)
	for _, g := range c.ghosts[r] {
		p.Global = append(p.Global, g.vertex)
	}
	cluster := int32(-1)
	for i, v := range p.Global {
		c.local[v] = int32(i)
		if !c.moves(r, &p, i) {
			continue
		}
		last = i + 1
		if p.Clustered && l.cluster[v] != cluster {
			cluster = l.cluster[v]
			p.Clusters = append(p.Clusters, int32(i))
		}
	}
	sliding = c.spans(r, &p)
	c.strips(r, &p)
	return p, sliding, last
}

// moves tells whether vertex i of a rank moves there.
func (c *cutter) moves(r int, p *Subdomain, i int) bool {
	return c.layout.class[p.Global[i]] != fixed && (i < p.Owned || c.ghosts[r][i-p.Owned].copied)
}

// part makes the part of a rank whose vertices are in order.
func (c *cutter) part(r int) *Part {
	l := c.layout
	p := &Part{}
	var sliding []int32
	var last int
	p.Subdomain, sliding, last = c.subdomain(r)
	for _, v := range p.Global {
		p.X, p.Y = append(p.X, l.mesh.X[v]), append(p.Y, l.mesh.Y[v])
	}
	for _, v := range sliding {
		p.Rails = append(p.Rails, l.rails[v])
	}
	p.Rings = make([]kernels.Ring, last)
	for i := range p.Rings {
		c.ring(p, i, c.moves(r, &p.Subdomain, i))
	}
	c.measured(r, p)
	for _, v := range p.Global {
		c.local[v] = -1
	}
	return p
}

// spans finds the ranges of vertices that move together, and returns those that slide in the order of their rails.
func (c *cutter) spans(r int, p *Subdomain) (sliding []int32) {
	l := c.layout
	extend := func(s *Span, i int32, v int32) {
		if s.Hi == 0 {
			*s = Span{Lo: i, Slide: i, Hi: i, Rail: int32(len(sliding))}
		}
		s.Hi = i + 1
		if l.class[v] != free {
			sliding = append(sliding, v)
		} else {
			s.Slide = i + 1
		}
	}
	for i, v := range c.owned[r] {
		switch {
		case l.class[v] == fixed:
		case c.needed[v]:
			extend(&p.First[l.set[v]], int32(i), v)
		default:
			extend(&p.Rest[l.set[v]], int32(i), v)
		}
	}
	for k, g := range c.ghosts[r] {
		if !g.copied {
			continue
		}
		extend(&p.Copies[l.set[g.vertex]], int32(p.Owned+k), g.vertex)
	}
	return sliding
}

// ring stores the ring of local vertex i, or an empty one if it stays where it is.
func (c *cutter) ring(p *Part, i int, moves bool) {
	at := &p.Rings[i].At
	for k := range at {
		at[k] = -1
	}
	if !moves {
		return
	}
	inline := len(at) - 1
	for k, v := range c.layout.rings.Of(p.Global[i]) {
		if k < inline {
			at[k] = c.local[v]
			continue
		}
		if k == inline {
			at[inline] = int32(len(p.More))
		}
		p.More = append(p.More, c.local[v])
	}
	if at[inline] >= 0 {
		p.More = append(p.More, -1)
	}
}

// measured adds the triangles and edges that the rank counts.
func (c *cutter) measured(r int, p *Part) {
	p.CellGlobal = c.cells[r]
	for _, id := range p.CellGlobal {
		v := c.layout.mesh.Cells[id]
		p.Cells = append(p.Cells, kernels.Cell{At: [3]int32{c.local[v[0]], c.local[v[1]], c.local[v[2]]}})
	}
	for _, e := range c.edges[r] {
		p.Edges = append(p.Edges, kernels.Edge{A: c.local[e.a], B: c.local[e.b]})
		p.Border = append(p.Border, e.border)
	}
}
