package colouring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
)

// PartGraph is what a rank knows of a graph: the neighbours of its own vertices, and which of these are ghosts.
type PartGraph struct {
	Rings  *mesh.Rings // those of ghosts do not count
	Global []int32     // id of each vertex in the whole graph, ascending
	Class  []int8      // as Colour has it
	Own    []bool      // of each vertex
	Ghosts []int32     // the others, by their owners and then by id
	// Update brings what the owners of ghosts have to them, of an array with a number for each vertex.
	Update func(ctx context.Context, values []int32) error
}

// OverRanks colours a graph that no rank knows whole, and returns the colours of this rank's vertices and ghosts.
// They are those of Colour, whatever the number of ranks. Ranks colour what they can, tell each other the colours of
// the vertices that these have as ghosts, and go on, for as many rounds as a chain of descending priorities crosses
// between ranks. All ranks call it with the same kind.
func OverRanks(ctx context.Context, kind Kind, g *PartGraph, comm dist.Comm) ([]int32, error) {
	if kind != JonesPlassmann && kind != FirstFit {
		return nil, fmt.Errorf("colouring %q is not known; choose %s or %s", kind, JonesPlassmann, FirstFit)
	}
	n := len(g.Global)
	c := &rankColourer{PartGraph: g, hashed: kind == JonesPlassmann, degree: make([]int32, n),
		colour: make([]int32, n), pending: make([]int32, n)}
	for v := range n {
		c.degree[v], c.colour[v] = g.Rings.Start[v+1]-g.Rings.Start[v], uncoloured
	}
	if err := g.Update(ctx, c.degree); err != nil {
		return nil, err
	}
	c.prepare()
	for before := int64(-1); ; {
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
		case left[0] == 0 && c.done:
			return c.colour, nil
		case left[0] > 0 && left[0] == before: // the one of highest priority waits for none
			return nil, fmt.Errorf("%d vertices wait for each other's colours: ranks disagree on what they share", before)
		}
		before = left[0]
		c.done = left[0] == 0
		if err := g.Update(ctx, c.colour); err != nil {
			return nil, err
		}
		c.receiveColours()
	}
}

// uncoloured marks a vertex that has no colour yet; -1 is for one that does not move.
const uncoloured = -2

// rankColourer colours an own vertex once all its neighbours of higher priority have a colour.
type rankColourer struct {
	*PartGraph
	hashed  bool
	degree  []int32
	colour  []int32
	pending []int32 // of own vertices: neighbours of higher priority without a colour
	ghosts  []ghostRing
	left    int  // own vertices without a colour
	done    bool // all colours are known to all ranks

	exhausted bool
}

// ghostRing is a ghost, its own neighbours that wait for it, and whether they know its colour.
type ghostRing struct {
	vertex int32
	near   []int32
	heard  bool
}

// before tells whether u must be coloured before v, which is its neighbour.
func (c *rankColourer) before(u, v int32) bool {
	if c.Class[u] != c.Class[v] {
		return false
	}
	a, b := c.Global[u], c.Global[v]
	if !c.hashed {
		return a < b
	}
	if d, e := c.degree[u], c.degree[v]; d != e {
		return d > e
	}
	return cmp.Or(cmp.Compare(Hash(a), Hash(b)), cmp.Compare(a, b)) < 0
}

func (c *rankColourer) prepare() {
	waiting := map[int32][]int32{} // for a ghost
	var ready []int32
	for v := range int32(len(c.Global)) {
		if !c.Own[v] {
			continue
		}
		if c.Class[v] < 0 {
			c.colour[v] = -1
			continue
		}
		for _, u := range c.Rings.Of(v) {
			if c.before(u, v) {
				c.pending[v]++
				if !c.Own[u] {
					waiting[u] = append(waiting[u], v)
				}
			}
		}
		if c.pending[v] == 0 {
			ready = append(ready, v)
		}
		c.left++
	}
	for _, v := range c.Ghosts {
		if near := waiting[v]; near != nil {
			c.ghosts = append(c.ghosts, ghostRing{vertex: v, near: near})
		}
	}
	c.colourReady(ready)
}

// colourReady colours vertices that are ready, and those that become so.
func (c *rankColourer) colourReady(ready []int32) {
	for len(ready) > 0 {
		v := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		used := uint64(0)
		for _, u := range c.Rings.Of(v) {
			if c.before(u, v) {
				used |= 1 << c.colour[u]
			}
		}
		c.colour[v] = int32(bits.TrailingZeros64(^used))
		if c.colour[v] >= MaxColours-1 {
			c.exhausted = true
			return
		}
		c.left--
		for _, u := range c.Rings.Of(v) {
			if c.Own[u] && c.before(v, u) {
				if c.pending[u]--; c.pending[u] == 0 {
					ready = append(ready, u)
				}
			}
		}
	}
}

// receiveColours takes in the colours of ghosts that have one now.
func (c *rankColourer) receiveColours() {
	var ready []int32
	for k := range c.ghosts {
		g := &c.ghosts[k]
		if g.heard || c.colour[g.vertex] < 0 {
			continue
		}
		g.heard = true
		for _, v := range g.near {
			if c.pending[v]--; c.pending[v] == 0 {
				ready = append(ready, v)
			}
		}
	}
	c.colourReady(ready)
}
