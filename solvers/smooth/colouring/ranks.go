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

// PartGraph is a rank's part of a graph: the neighbours of its own vertices, and its ghosts.
type PartGraph struct {
	Rings  *mesh.Rings // neighbours of each vertex; those of ghosts are ignored
	Global []int32     // id of each vertex in the whole graph, ascending
	Class  []int8      // as in Colour
	Own    []bool      // of each vertex
	Ghosts []int32     // the other vertices, by owner and then by id
	// Update copies to the ghosts the values of their owners, in an array with a number for each vertex.
	Update func(ctx context.Context, values []int32) error
}

// OverRanks colours a distributed graph, and returns the colours of this rank's vertices and ghosts. They are those
// of Colour for any number of ranks. Each round, ranks colour the vertices that they can, and exchange the colours
// of ghosts; the number of rounds is the number of edges between ranks along the longest path of descending
// priorities. All ranks call it with the same kind.
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
	for previous := int64(-1); ; {
		remaining := []int64{int64(c.remaining), 0}
		if c.exhausted {
			remaining[1] = 1
		}
		if err := comm.AllreduceInt64(ctx, dist.Sum, remaining); err != nil {
			return nil, err
		}
		switch {
		case remaining[1] > 0:
			return nil, errors.New("a vertex has more than 63 neighbours of higher priority: too many for a colouring")
		case remaining[0] == 0 && c.done:
			return c.colour, nil
		case remaining[0] > 0 && remaining[0] == previous: // consistent ranks colour at least one
			return nil, fmt.Errorf("colouring does not end with %d vertices left: the ranks' ghosts are inconsistent", previous)
		}
		previous = remaining[0]
		c.done = remaining[0] == 0
		if err := g.Update(ctx, c.colour); err != nil {
			return nil, err
		}
		c.receiveColours()
	}
}

// uncoloured marks a vertex that has no colour yet; -1 is for a vertex that does not move.
const uncoloured = -2

// rankColourer colours an own vertex when all its neighbours of higher priority have a colour.
type rankColourer struct {
	*PartGraph
	hashed    bool
	degree    []int32
	colour    []int32
	pending   []int32 // of own vertices: number of neighbours of higher priority without a colour
	ghosts    []waitingGhost
	remaining int  // own vertices without a colour
	done      bool // all colours are known to all ranks

	exhausted bool
}

// waitingGhost is a ghost, with the neighbours that this rank owns and that wait for its colour.
type waitingGhost struct {
	vertex   int32
	waiting  []int32
	received bool
}

// precedes reports whether u must be coloured before its neighbour v.
func (c *rankColourer) precedes(u, v int32) bool {
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
			if c.precedes(u, v) {
				c.pending[v]++
				if !c.Own[u] {
					waiting[u] = append(waiting[u], v)
				}
			}
		}
		if c.pending[v] == 0 {
			ready = append(ready, v)
		}
		c.remaining++
	}
	for _, v := range c.Ghosts {
		if waitingOn := waiting[v]; waitingOn != nil {
			c.ghosts = append(c.ghosts, waitingGhost{vertex: v, waiting: waitingOn})
		}
	}
	c.colourReady(ready)
}

// colourReady colours the vertices that are ready, and those that become ready as a result.
func (c *rankColourer) colourReady(ready []int32) {
	for len(ready) > 0 {
		v := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		used := uint64(0)
		for _, u := range c.Rings.Of(v) {
			if c.precedes(u, v) {
				used |= 1 << c.colour[u]
			}
		}
		c.colour[v] = int32(bits.TrailingZeros64(^used))
		if c.colour[v] >= MaxColours-1 {
			c.exhausted = true
			return
		}
		c.remaining--
		for _, u := range c.Rings.Of(v) {
			if c.Own[u] && c.precedes(v, u) {
				if c.pending[u]--; c.pending[u] == 0 {
					ready = append(ready, u)
				}
			}
		}
	}
}

// receiveColours processes the ghosts that have got a colour.
func (c *rankColourer) receiveColours() {
	var ready []int32
	for k := range c.ghosts {
		g := &c.ghosts[k]
		if g.received || c.colour[g.vertex] < 0 {
			continue
		}
		g.received = true
		for _, v := range g.waiting {
			if c.pending[v]--; c.pending[v] == 0 {
				ready = append(ready, v)
			}
		}
	}
	c.colourReady(ready)
}
