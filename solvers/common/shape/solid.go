package shape

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/solvers/common/closed"
)

// polyhedron is the union of solids, which may overlap, touch or contain each other.
type polyhedron struct {
	solids []solid
	corner [][3]point // all triangles
}

// solid is the body within a closed surface, less the bodies within the surfaces of its cavities.
type solid struct {
	outer    *surface
	cavities []*surface
}

// newPolyhedron makes the body that triangles enclose, from the triangles in the order of their file. The notes say
// what was mended.
func newPolyhedron(triangles [][3]point) (p *polyhedron, notes []string, err error) {
	parts, notes, err := closed.Parts(triangles)
	if err != nil {
		return nil, nil, err
	}
	p = &polyhedron{}
	var cavities []*surface
	total, largest := 0.0, 0.0
	for _, part := range parts {
		s := newSurface(part)
		volume, area := s.volume()
		total, largest = total+volume, max(largest, math.Abs(volume))
		switch size := s.size(); {
		case math.Abs(volume) <= 1e-12*area*size: // a flat part encloses nothing
		case volume > 0:
			p.solids = append(p.solids, solid{outer: s})
		default:
			cavities = append(cavities, s)
		}
	}
	if !(total > 1e-12*largest) {
		return nil, nil, fmt.Errorf("the surface encloses a volume of %g: reverse its triangles, so that they are "+
			"counterclockwise seen from outside", total)
	}
	for _, s := range cavities {
		if err := p.addCavity(s); err != nil {
			return nil, nil, err
		}
	}
	p.collect()
	return p, notes, nil
}

// collect lists the triangles of all solids.
func (p *polyhedron) collect() {
	for _, s := range p.solids {
		for _, part := range append([]*surface{s.outer}, s.cavities...) {
			p.corner = append(p.corner, part.corner...)
		}
	}
}

// addCavity adds a cavity to the smallest solid around it.
func (p *polyhedron) addCavity(s *surface) error {
	owner, least := -1, math.Inf(1)
	for n := range p.solids {
		outer := p.solids[n].outer
		if volume, _ := outer.volume(); volume < least && outer.contains(s) {
			owner, least = n, volume
		}
	}
	if owner < 0 {
		return fmt.Errorf("the part of the surface at %v encloses a negative volume and is in no other part: reverse its "+
			"triangles, so that they are counterclockwise seen from outside", s.corner[0][0])
	}
	p.solids[owner].cavities = append(p.solids[owner].cavities, s)
	return nil
}

// contains reports whether the surface encloses another one, judged at the first vertex that is not on it.
func (s *surface) contains(other *surface) bool {
	tolerance := 1e-7 * s.size()
	for _, c := range other.corner {
		for _, q := range []point{c[0], middleOf(&c)} {
			if s.nearest(q) > tolerance*tolerance {
				return s.winding(q) > 0
			}
		}
	}
	return true
}

// size is the diagonal of the bounding box.
func (s *surface) size() float64 { return s.tree[0].hi.minus(s.tree[0].lo).size() }

// phi returns a level set of slope 1 that is negative in the body, and its distance from the surface where no solids
// overlap.
func (p *polyhedron) phi(x, y, z float64) float64 {
	q, least := point{x, y, z}, math.Inf(1)
	for n := range p.solids {
		if away := p.solids[n].outer.tree[0].distanceSquare(q); away > 0 && away >= least*math.Abs(least) {
			continue
		}
		least = min(least, p.solids[n].distance(q))
	}
	if least == 0 && p.winding(q) > 0 {
		return -math.SmallestNonzeroFloat64 // between solids that touch
	}
	return least
}

// distance returns a level set of the solid: the distance from its surface, negative inside.
func (s *solid) distance(p point) float64 {
	d := s.outer.distance(p, 1)
	for _, c := range s.cavities {
		if away := c.tree[0].distanceSquare(p); away > 0 && d > -math.Sqrt(away) {
			continue
		}
		d = max(d, -c.distance(p, -1))
	}
	return d
}

// winding returns how many times the surface encloses a point.
func (p *polyhedron) winding(q point) (count int) {
	for _, s := range p.solids {
		count += s.outer.winding(q)
		for _, c := range s.cavities {
			count += c.winding(q)
		}
	}
	return count
}

// Section returns the section of a body bounded by triangles at a z, as a body in the plane; other bodies are the same
// in the plane. A solid that ends at this z, or has a face there, has the section just above it, or if there is none
// that just below it.
func (b Body) Section(z float64) Body {
	if b.polyhedron == nil {
		return b
	}
	p := &polyhedron{}
	for _, s := range b.polyhedron.solids {
		above := true
		outer := s.outer.walls(z, above)
		if outer == nil {
			above = false
			outer = s.outer.walls(z, above)
		}
		if outer == nil {
			continue
		}
		cut := solid{outer: newSurface(outer)}
		for _, c := range s.cavities {
			if w := c.walls(z, above); w != nil {
				cut.cavities = append(cut.cavities, newSurface(w))
			}
		}
		p.solids = append(p.solids, cut)
	}
	p.collect()
	notes := slices.Clone(b.Notes)
	if len(p.corner) == 0 {
		lo, hi := b.polyhedron.extent(2)
		notes = append(notes, fmt.Sprintf("the section at z = %g is empty: the body is from z = %g to %g", z, lo, hi))
	}
	return Body{Phi: func(x, y, _ float64) float64 { return p.phi(x, y, .5) }, Slope: 1, Notes: notes, polyhedron: p,
		coarse: &coarse{}}
}

// extent returns the extent of the body along an axis.
func (p *polyhedron) extent(axis int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range p.solids {
		lo, hi = min(lo, s.outer.tree[0].lo[axis]), max(hi, s.outer.tree[0].hi[axis])
	}
	return lo, hi
}

// walls returns vertical triangles between z = 0 and 1 over the lines in which the plane at z, or just above it,
// intersects the surface: the section of the body as a prism. It is nil for an empty section.
func (s *surface) walls(z float64, above bool) [][3]point {
	var out [][3]point
	isUpper := func(p point) bool { return p[2] > z || p[2] == z && !above }
	for t := range s.corner {
		c := &s.corner[t]
		var down, up point // where the counterclockwise boundary of the triangle crosses the plane downward and upward
		crossed := false
		for v := range c {
			a, b := c[v], c[(v+1)%3]
			if isUpper(a) == isUpper(b) {
				continue
			}
			crossed = true
			low, high, crossing := a, b, &up
			if isUpper(a) {
				low, high, crossing = b, a, &down
			}
			*crossing = low.toward(high, (z-low[2])/(high[2]-low[2]))
		}
		if crossed {
			a, b := point{down[0], down[1], 0}, point{up[0], up[1], 0}
			c, d := point{up[0], up[1], 1}, point{down[0], down[1], 1}
			out = append(out, [3]point{a, b, c}, [3]point{a, c, d})
		}
	}
	return out
}
