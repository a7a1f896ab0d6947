package layout

import (
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// A strip is a piece of the mesh that a processor's cache holds: some thousand vertices that follow one another in the
// layout's order. Those of its vertices whose neighbours in earlier sets are inner vertices of the strip too, and so
// on, are its inner vertices. Nothing outside changes what these read: a strip takes them through all sets at once,
// before everything else moves, and all bits are those of one set after the other.
//
// Nor does that change what others read. A neighbour of an inner vertex in a later set moves after it, whether it is an
// inner vertex or not; one in an earlier set is an inner vertex itself.

// stripBits makes strips of 4096 vertices, moving or not, which take some 600 kB with their rings and the metric.
const stripBits = 12

// Range is the vertices [Lo, Hi).
type Range struct{ Lo, Hi int32 }

// findInner finds the inner vertices of all strips, of the ranks that own them. What other ranks need is none, for it
// is sent set by set.
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

// seesInner tells whether a vertex is an inner one, if those of earlier sets are known.
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

func (c *cutter) strip(v int32) int32 { return c.layout.place[v] >> c.layout.stripBits }

// strips finds where the inner vertices of a rank are, of each strip and set, and where in Rest the others begin.
func (c *cutter) strips(r int, p *Subdomain) {
	l := c.layout
	all := make([][]Range, len(l.place)>>l.stripBits+1)
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
