package smooth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
)

// Patch is what one rank knows of a graph: its own vertices, their neighbours, and which of these other ranks own.
type Patch struct {
	Global []int32    // id of each vertex in the whole graph: owned ones, then ghosts
	Class  []int8     // of owned vertices, as Colour has it
	Start  []int32    // the neighbours of owned vertex v are Adj[Start[v]:Start[v+1]]
	Adj    []int32    // local ids
	Plan   *halo.Plan // brings what owners know to the ghosts
}

// ColourRanks colours a graph that no rank knows whole, and returns the colours of this rank's vertices and ghosts.
// They are those of Colour, whatever the number of ranks. Ranks colour what they can, tell each other the colours of
// the vertices that these have as ghosts, and go on, for as many rounds as a chain of descending priorities crosses
// between ranks. All ranks call it with the same kind; messages have the tag.
func ColourRanks(ctx context.Context, kind Colouring, p *Patch, comm dist.Comm, tag int) ([]int32, error) {
	n, owned := len(p.Global), len(p.Class)
	var bad error
	switch {
	case kind != JonesPlassmann && kind != FirstFit:
		bad = fmt.Errorf("colouring %q is not known; choose %s or %s", kind, JonesPlassmann, FirstFit)
	case p.Plan.Owned != owned || p.Plan.Ghosts != n-owned || len(p.Start) != owned+1:
		bad = fmt.Errorf("a patch of %d vertices, %d owned, with the lists of %d and a plan of %d and %d", n, owned,
			len(p.Start)-1, p.Plan.Owned, p.Plan.Ghosts)
	}
	if err := sameFault(ctx, comm, bad); err != nil {
		return nil, err
	}
	c := &patchColourer{patch: p, hashed: kind == JonesPlassmann, rank: make([]priority, n), colour: make([]int32, n),
		pending: make([]int32, owned)}
	for v := range n {
		c.colour[v] = uncoloured
		if v < owned {
			c.rank[v] = priority{p.Start[v+1] - p.Start[v], int32(p.Class[v])}
		}
	}
	x := halo.NewExchanger(p.Plan, comm, tag, 8)
	if err := x.Exchange(ctx, halo.Of(c.rank)); err != nil {
		return nil, err
	}
	c.prepare()
	for {
		left := []int64{int64(c.left), 0}
		if c.exhausted {
			left[1] = 1
		}
		if err := comm.AllreduceInt64(ctx, dist.Sum, left); err != nil {
			return nil, err
		}
		switch {
		case left[1] > 0:
			return nil, errors.New("a vertex has more than 63 neighbours of higher priority: too many for a colouring")
		case left[0] == 0 && c.told:
			return c.colour, nil
		}
		c.told = left[0] == 0
		if err := x.Exchange(ctx, halo.Of(c.colour)); err != nil {
			return nil, err
		}
		c.hear()
	}
}

// priority is what, beside its id, decides when a vertex is coloured, and against whom.
type priority struct{ degree, class int32 }

// uncoloured marks a vertex that has no colour yet; -1 is for one that gets none.
const uncoloured = -2

// patchColourer colours an owned vertex once all its neighbours of higher priority have a colour.
type patchColourer struct {
	patch   *Patch
	hashed  bool
	rank    []priority
	colour  []int32
	pending []int32 // of owned vertices: neighbours of higher priority without a colour
	near    []int32 // the owned neighbours of ghost g are near[from[g]:from[g+1]]
	from    []int32
	heard   []bool // of ghosts: whether their colours have been taken in
	left    int    // owned vertices without a colour
	told    bool   // all colours have travelled

	exhausted bool
}

func (c *patchColourer) of(v int32) []int32 { return c.patch.Adj[c.patch.Start[v]:c.patch.Start[v+1]] }

// before tells whether u must be coloured before v, which is its neighbour.
func (c *patchColourer) before(u, v int32) bool {
	a, b := c.patch.Global[u], c.patch.Global[v]
	if !c.hashed {
		return a < b
	}
	if d, e := c.rank[u].degree, c.rank[v].degree; d != e {
		return d > e
	}
	return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b)) < 0
}

func (c *patchColourer) prepare() {
	owned := int32(len(c.patch.Class))
	ghosts := int32(len(c.patch.Global)) - owned
	c.heard = make([]bool, ghosts)
	c.from = make([]int32, ghosts+1)
	for _, u := range c.patch.Adj {
		if u >= owned {
			c.from[u-owned+1]++
		}
	}
	for g := range ghosts {
		c.from[g+1] += c.from[g]
	}
	c.near = make([]int32, c.from[ghosts])
	next := append([]int32(nil), c.from[:ghosts]...)
	var ready []int32
	for v := range owned {
		for _, u := range c.of(v) {
			if u >= owned {
				c.near[next[u-owned]] = v
				next[u-owned]++
			}
			if c.rank[v].class >= 0 && c.rank[u].class == c.rank[v].class && c.before(u, v) {
				c.pending[v]++
			}
		}
		switch {
		case c.rank[v].class < 0:
			c.colour[v] = -1
		case c.pending[v] == 0:
			ready = append(ready, v)
			fallthrough
		default:
			c.left++
		}
	}
	c.spread(ready)
}

// spread colours vertices that are ready, and those that become so.
func (c *patchColourer) spread(ready []int32) {
	owned := int32(len(c.patch.Class))
	for len(ready) > 0 {
		v := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		used := uint64(0)
		for _, u := range c.of(v) {
			if c.rank[u].class == c.rank[v].class && c.before(u, v) {
				used |= 1 << c.colour[u]
			}
		}
		c.colour[v] = int32(bits.TrailingZeros64(^used))
		if c.colour[v] >= maxColours-1 {
			c.exhausted = true
			return
		}
		c.left--
		for _, u := range c.of(v) {
			if u < owned && c.rank[u].class == c.rank[v].class && c.before(v, u) {
				if c.pending[u]--; c.pending[u] == 0 {
					ready = append(ready, u)
				}
			}
		}
	}
}

// hear takes in the colours of ghosts that have one now.
func (c *patchColourer) hear() {
	owned := int32(len(c.patch.Class))
	var ready []int32
	for g := range c.heard {
		u := owned + int32(g)
		if c.heard[g] || c.colour[u] < 0 {
			continue
		}
		c.heard[g] = true
		for _, v := range c.near[c.from[g]:c.from[g+1]] {
			if c.rank[u].class == c.rank[v].class && c.before(u, v) {
				if c.pending[v]--; c.pending[v] == 0 {
					ready = append(ready, v)
				}
			}
		}
	}
	c.spread(ready)
}

// sameFault returns an error on all ranks if one has one.
func sameFault(ctx context.Context, comm dist.Comm, bad error) error {
	n := []int64{0}
	if bad != nil {
		n[0] = 1
	}
	if err := comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
		return err
	}
	if bad == nil && n[0] > 0 {
		return errors.New("another rank refuses its patch")
	}
	return bad
}
