package layout

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// A strip is a part of the mesh that fits a processor's cache: a few thousand consecutive vertices in the layout's
// order. A vertex of a strip is an inner vertex if all its neighbours in earlier sets are inner vertices of the same
// strip. Nothing outside changes what inner vertices read, so a strip takes them through all sets at once, before all
// other vertices move, with the same bits as one set after the other.
//
// This does not change what other vertices read either: a neighbour of an inner vertex in a later set moves after it
// in any case, and one in an earlier set is an inner vertex itself.

// stripBits gives strips of 4096 vertices, which take about 600 kB with their rings and the metric.
const stripBits = 12

// Range is the vertices [Lo, Hi).
type Range struct{ Lo, Hi int32 }

// findInner finds the inner vertices of all strips, for the ranks that own them. Vertices that other ranks need are
// never inner, since they are sent set by set.
func (c *cutter) findInner() {
	l := c.layout
	n := len(l.order)
	strips := n>>l.stripBits + 1
	parallel.Ranges(strips, parallel.Parts(strips, 4), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			strip := l.order[k<<l.stripBits : min(n, (k+1)<<l.stripBits)]
			for set := range int32(l.sets) {
				for _, v := range strip {
					c.inner[v] = c.inner[v] || l.set[v] == set && c.seesInner(v)
				}
			}
		}
	})
}

// seesInner reports whether a vertex is an inner vertex, given those of earlier sets.
func (c *cutter) seesInner(v int32) bool {
	l := c.layout
	if l.Class[v] != free || c.needed[v] {
		return false
	}
	for _, u := range l.rings.Of(v) {
		if l.set[u] < l.set[v] && (c.strip(u) != c.strip(v) || c.owner[u] != c.owner[v] || !c.inner[u]) {
			return false
		}
	}
	return true
}

func (c *cutter) strip(v int32) int32 { return c.layout.position[v] >> c.layout.stripBits }

// strips finds the ranges of the inner vertices of a rank, by strip and set, and the first other vertices of Rest.
func (c *cutter) strips(r int, p *Subdomain) {
	l := c.layout
	all := make([][]Range, len(l.position)>>l.stripBits+1)
	p.Outer = make([]int32, l.sets)
	for set := range p.Outer {
		p.Outer[set] = p.Rest[set].Lo
	}
	for i, v := range c.owned[r] {
		if !c.inner[v] {
			continue
		}
		of, set := &all[c.strip(v)], l.set[v]
		if *of == nil {
			*of = make([]Range, l.sets)
		}
		s := &(*of)[set]
		if s.Hi == 0 {
			s.Lo = int32(i)
		}
		s.Hi = int32(i + 1)
		p.Outer[set] = s.Hi
	}
	for _, of := range all {
		if of != nil {
			p.Strips = append(p.Strips, of)
		}
	}
}
