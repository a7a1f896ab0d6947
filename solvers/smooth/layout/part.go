package layout

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Subdomain is the order of a rank's vertices: owned | ghosts.
//
// Owned vertices are sorted by set, fixed ones last; within a set by setOrder; then in the layout's order. Ghosts
// that only their owners move come first: sorted by set, unless one exchange serves all sets, then by owner and id.
// Fixed ghosts follow, and then copies, by set.
type Subdomain struct {
	Global []int32 // id of each vertex in the whole mesh
	Owned  int
	Sets   int

	Sent   []Span // of each set, the owned vertices that are sent to other ranks after the set; none in deep parts
	Unsent []Span // of each set, the other owned vertices
	Copies []Span // of each set, the ghosts that this rank moves too and no rank sends

	Strips      [][]Range // of each strip and set, the inner vertices, which are the first of Unsent
	AfterStrips []int32   // of each set, the first vertex of Unsent that is not an inner vertex of a strip

	// Plans are the exchanges after each set, or the one after a sweep if there are Copies. A plan covers one range
	// of ghosts: it counts all vertices before them as owned, and does not include those after them.
	Plans []*halo.Plan
	Deep  bool
	Batch BatchExchange // of a deep part, the exchange before a batch of sweeps by tiles

	OnCurves int // number of vertices that this rank moves along curved boundaries
}

// Part is a rank's part of a mesh of triangles.
type Part struct {
	Subdomain
	X, Y []float64 // of vertices

	Rings          []kernels.Ring // of vertices, up to the last one that this rank moves
	MoreNeighbours []int32        // neighbours beyond the capacity of a Ring; each list ends with -1
	Rails          []kernels.Rail[float64]

	Cells      []kernels.Cell // triangles whose vertex of lowest id is owned
	CellGlobal []int32
	Edges      []kernels.Edge // edges whose vertex of lower id is owned
	OnBoundary []bool         // whether an edge is on the boundary
}

// Span is the vertices [Lo, Hi) of a set. Those from FirstSliding on slide: vertex i on the rail, or in space the
// frame, of index i-FirstSliding+FirstRail.
type Span struct{ Lo, FirstSliding, Hi, FirstRail int32 }

// Parts makes the parts of all ranks; owner gives the rank of each vertex. Ranks may be empty.
func (l *Layout) Parts(owner []int32, ranks int) ([]*Part, error) {
	c, err := newPartMaker(l, owner, ranks)
	if err != nil {
		return nil, err
	}
	if err := c.divideCells(); err != nil {
		return nil, err
	}
	c.findGhosts()
	c.sortVertices()
	parts := make([]*Part, ranks)
	for r := range ranks {
		parts[r] = c.part(r)
	}
	return parts, nil
}

// ghost is a vertex of another rank. If copied is set, this rank moves it too, `moves` times between two exchanges.
type ghost struct {
	vertex int32
	copied bool
	moves  int8
}

// partMaker makes the parts of all ranks.
type partMaker struct {
	layout *Layout
	owner  []int32
	owned  [][]int32
	ghosts [][]ghost
	cells  [][]int32
	loose  []edge // edges whose lower vertex has no ring
	// for each vertex, whether other ranks need it, so that it is sent to them after its set has moved; always false in
	// deep parts, which exchange after a sweep
	neededElsewhere []bool
	inner           []bool // for each vertex, whether it is an inner vertex of a strip
	local           []int32
}

func newPartMaker(l *Layout, owner []int32, ranks int) (*partMaker, error) {
	if len(owner) != len(l.Class) {
		return nil, fmt.Errorf("%d owners for %d vertices", len(owner), len(l.Class))
	}
	c := &partMaker{layout: l, owner: owner, owned: make([][]int32, ranks), ghosts: make([][]ghost, ranks),
		neededElsewhere: make([]bool, len(owner)), inner: make([]bool, len(owner)), local: make([]int32, len(owner))}
	for v, r := range owner {
		if r < 0 || int(r) >= ranks {
			return nil, fmt.Errorf("vertex %d is given to rank %d of %d", v, r, ranks)
		}
	}
	count := make([]int, ranks)
	for v, r := range c.owner {
		count[r]++
		c.local[v] = -1
	}
	for r, n := range count {
		c.owned[r] = make([]int32, 0, n)
	}
	for _, v := range l.order {
		c.owned[c.owner[v]] = append(c.owned[c.owner[v]], v)
	}
	return c, nil
}

// sortVertices sorts the vertices of all ranks.
func (c *partMaker) sortVertices() {
	c.findInner()
	for r, owned := range c.owned {
		keys := make([]uint64, len(owned))
		parallel.Ranges(len(owned), parallel.Parts(len(owned), 20_000), func(_, lo, hi int) {
			for i, v := range owned[lo:hi] {
				keys[lo+i] = c.key(v)
			}
		})
		partition.SortByKey(keys, owned)
		c.sortGhosts(r)
	}
}

// setOrder is the position of an own vertex within its set, grouped by the loops of a sweep.
type setOrder uint64

const (
	neededFree setOrder = iota // needed by other ranks after the set
	neededSliding
	innerOfStrip // and free
	otherFree
	otherSliding // or fixed, which form their own set
	setOrders    // number of values
)

// setOrder returns the group of an own vertex within its set.
func (c *partMaker) setOrder(v int32) setOrder {
	slides := c.layout.Class[v] == sliding
	switch {
	case c.neededElsewhere[v] && slides:
		return neededSliding
	case c.neededElsewhere[v]:
		return neededFree
	case c.inner[v]:
		return innerOfStrip
	case c.layout.Class[v] == free:
		return otherFree
	}
	return otherSliding
}

// key is the sort key of an own vertex: its set, then its setOrder. The sort is stable and keeps the layout's order.
func (c *partMaker) key(v int32) uint64 {
	return uint64(c.layout.set[v])*uint64(setOrders) + uint64(c.setOrder(v))
}

// sortGhosts sorts the ghosts of a rank.
func (c *partMaker) sortGhosts(r int) {
	l := c.layout
	slices.SortFunc(c.ghosts[r], func(a, b ghost) int {
		v, w := a.vertex, b.vertex
		if k := cmp.Compare(c.moverOf(a), c.moverOf(b)); k != 0 {
			return k
		}
		if a.copied {
			return cmp.Or(cmp.Compare(l.set[v], l.set[w]), cmp.Compare(l.Class[v], l.Class[w]),
				cmp.Compare(l.position[v], l.position[w]))
		}
		if !l.options.Deep && l.set[v] != l.set[w] {
			return cmp.Compare(l.set[v], l.set[w])
		}
		return cmp.Or(cmp.Compare(c.owner[v], c.owner[w]), cmp.Compare(v, w))
	})
}

// moverOf returns which ranks move a ghost, by which ghosts are sorted first.
func (c *partMaker) moverOf(g ghost) int {
	switch {
	case g.copied:
		return movedHereToo
	case c.layout.Class[g.vertex] == fixed:
		return notMoved
	}
	return movedByOwner
}

const (
	movedByOwner = iota // only by its owner
	notMoved            // fixed
	movedHereToo        // a copy
)

// subdomain gives the sorted vertices of a rank their indices. It also returns the sliding vertices that this rank
// moves, in the order of their rails, and the number of vertices up to the last one that this rank moves.
func (c *partMaker) subdomain(r int) (p Subdomain, sliding []int32, last int) {
	l := c.layout
	p = Subdomain{Global: make([]int32, 0, len(c.owned[r])+len(c.ghosts[r])), Owned: len(c.owned[r]), Sets: l.sets,
		Deep: l.options.Deep, Sent: make([]Span, l.sets), Unsent: make([]Span, l.sets), Copies: make([]Span, l.sets)}
	p.Global = append(p.Global, c.owned[r]...)
	for _, g := range c.ghosts[r] {
		p.Global = append(p.Global, g.vertex)
	}
	for i, v := range p.Global {
		c.local[v] = int32(i)
		if c.movesHere(r, &p, i) {
			last = i + 1
		}
	}
	sliding = c.spans(r, &p)
	c.addStrips(r, &p)
	p.Plans = c.plans(r, &p)
	if p.Deep {
		p.Batch = c.batchExchange(r, &p)
	}
	return p, sliding, last
}

// movesHere reports whether rank r moves vertex i of its part.
func (c *partMaker) movesHere(r int, p *Subdomain, i int) bool {
	return c.layout.Class[p.Global[i]] != fixed && (i < p.Owned || c.ghosts[r][i-p.Owned].copied)
}

// part makes the part of a rank whose vertices are sorted.
func (c *partMaker) part(r int) *Part {
	l := c.layout
	p := &Part{}
	var sliding []int32
	var last int
	p.Subdomain, sliding, last = c.subdomain(r)
	p.X, p.Y = make([]float64, len(p.Global)), make([]float64, len(p.Global))
	for i, v := range p.Global {
		p.X[i], p.Y[i] = l.mesh.X[v], l.mesh.Y[v]
	}
	for _, v := range sliding {
		rail := l.rails[v]
		p.Rails = append(p.Rails, rail)
		if rail.Bx != 0 || rail.By != 0 {
			p.OnCurves++
		}
	}
	c.rings(r, p, last)
	c.addMeasured(r, p)
	for _, v := range p.Global {
		c.local[v] = -1
	}
	return p
}

// rings stores the rings of the first n vertices of a rank, empty ones for fixed vertices.
func (c *partMaker) rings(r int, p *Part, n int) {
	p.Rings = make([]kernels.Ring, n)
	const inline = len(kernels.Ring{}.At) - 1
	ringOf := func(i int) []int32 {
		if !c.movesHere(r, &p.Subdomain, i) {
			return nil
		}
		return c.layout.rings.Of(p.Global[i])
	}
	parts := parallel.Parts(n, 10_000)
	more := parallel.Offsets(n, parts, func(i int) int {
		if k := len(ringOf(i)); k > inline {
			return k - inline + 1
		}
		return 0
	})
	p.MoreNeighbours = make([]int32, more[parts])
	parallel.Ranges(n, parts, func(part, lo, hi int) {
		next := more[part]
		for i := lo; i < hi; i++ {
			at := &p.Rings[i].At
			for k := range at {
				at[k] = -1
			}
			ring := ringOf(i)
			for k, v := range ring[:min(inline, len(ring))] {
				at[k] = c.local[v]
			}
			if len(ring) <= inline {
				continue
			}
			at[inline] = int32(next)
			for _, v := range ring[inline:] {
				p.MoreNeighbours[next] = c.local[v]
				next++
			}
			p.MoreNeighbours[next] = -1
			next++
		}
	})
}

// spans finds the ranges of vertices that move together, and returns the sliding ones in the order of their rails.
func (c *partMaker) spans(r int, p *Subdomain) (sliding []int32) {
	l := c.layout
	extend := func(s *Span, i int32, v int32) {
		if s.Hi == 0 {
			*s = Span{Lo: i, FirstSliding: i, Hi: i, FirstRail: int32(len(sliding))}
		}
		s.Hi = i + 1
		if l.Class[v] != free {
			sliding = append(sliding, v)
		} else {
			s.FirstSliding = i + 1
		}
	}
	for i, v := range c.owned[r] {
		switch {
		case l.Class[v] == fixed:
		case c.neededElsewhere[v]:
			extend(&p.Sent[l.set[v]], int32(i), v)
		default:
			extend(&p.Unsent[l.set[v]], int32(i), v)
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
