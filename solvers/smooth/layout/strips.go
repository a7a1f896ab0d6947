package layout

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// A strip is a part of the mesh that fits a processor's cache: a few thousand consecutive vertices in the layout's
// order. A free vertex of a strip that no other rank needs is an inner vertex if all its neighbours in earlier sets
// are inner vertices of the same strip. No vertex outside of the strip that moves earlier is a neighbour of an inner
// vertex, so the inner vertices of a strip can move set after set before all other vertices move, with the same bits.
//
// Other vertices read the same values too: a neighbour of an inner vertex in a later set moves after it in any
// case, and one in an earlier set is an inner vertex itself.

// stripBits gives strips of 4096 vertices, which take about 600 kB with their rings and the metric.
const stripBits = 12

// Range is the vertices [Lo, Hi).
type Range struct{ Lo, Hi int32 }

// findInner finds the inner vertices of all strips, for the ranks that own them. Vertices that other ranks need are
// never inner, since they are sent set by set.
func (c *partMaker) findInner() {
	l := c.layout
	n := len(l.order)
	strips := n>>l.stripBits + 1
	parallel.Ranges(strips, parallel.Parts(strips, 4), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			strip := l.order[k<<l.stripBits : min(n, (k+1)<<l.stripBits)]
			for set := range int32(l.sets) {
				for _, v := range strip {
					c.inner[v] = c.inner[v] || l.set[v] == set && c.isInner(v)
				}
			}
		}
	})
}

// isInner reports whether a vertex is an inner vertex, if those of earlier sets are known.
func (c *partMaker) isInner(v int32) bool {
	l := c.layout
	if l.Class[v] != free || c.neededElsewhere[v] {
		return false
	}
	for _, u := range l.rings.Of(v) {
		if l.set[u] < l.set[v] && (c.stripOf(u) != c.stripOf(v) || c.owner[u] != c.owner[v] || !c.inner[u]) {
			return false
		}
	}
	return true
}

func (c *partMaker) stripOf(v int32) int32 { return c.layout.position[v] >> c.layout.stripBits }

// addStrips sets Strips to the ranges of the inner vertices of a rank, by strip and set, and AfterStrips, for each set,
// to the index of the first vertex of Unsent that is not an inner vertex; inner vertices come first.
func (c *partMaker) addStrips(r int, p *Subdomain) {
	l := c.layout
	strips := make([][]Range, len(l.position)>>l.stripBits+1)
	p.AfterStrips = make([]int32, l.sets)
	for set := range p.AfterStrips {
		p.AfterStrips[set] = p.Unsent[set].Lo
	}
	for i, v := range c.owned[r] {
		if !c.inner[v] {
			continue
		}
		of, set := &strips[c.stripOf(v)], l.set[v]
		if *of == nil {
			*of = make([]Range, l.sets)
		}
		s := &(*of)[set]
		if s.Hi == 0 {
			s.Lo = int32(i)
		}
		s.Hi = int32(i + 1)
		p.AfterStrips[set] = s.Hi
	}
	for _, of := range strips {
		if of != nil {
			p.Strips = append(p.Strips, of)
		}
	}
}
