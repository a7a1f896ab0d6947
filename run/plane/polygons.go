// Package plane has geometry of triangles in the plane: the polygons that bound a set of them, and where lines cross
// them.
package plane

import (
	"math"
	"slices"
)

// ring is a closed line of corners, without the first one again at its end. What it bounds lies at its left.
type ring [][2]float64

// Polygon is an outer ring, anticlockwise, and holes in it, clockwise.
type Polygon struct {
	outer ring
	holes []ring
}

// Rings are those of a polygon as GeoJSON has them: closed, the outer one first.
func (p *Polygon) Rings() [][][2]float64 {
	list := make([][][2]float64, 0, 1+len(p.holes))
	for _, r := range append([]ring{p.outer}, p.holes...) {
		list = append(list, append(slices.Clone(r), r[0]))
	}
	return list
}

// Polygons joins the sides of triangles that bound an area, sorted, each with the area at its left. Polygons that meet
// in a corner are apart; each ring passes a corner once.
func Polygons(sides []Side) []Polygon {
	var list []Polygon
	var holes []ring
	for _, r := range ringsOf(sides) {
		if r.area() > 0 {
			list = append(list, Polygon{outer: r})
		} else {
			holes = append(holes, r)
		}
	}
	if len(holes) > 0 {
		within := newStripes(list)
		for _, h := range holes {
			if i := within.smallest(h); i >= 0 {
				list[i].holes = append(list[i].holes, h)
			}
		}
	}
	return list
}

// ringsOf walks along sides, at each corner to the leftmost one, which bounds the same fan of triangles.
func ringsOf(sides []Side) []ring {
	from := map[[2]float64][]int{} // sides by where they begin
	for i, s := range sides {
		from[s.from] = append(from[s.from], i)
	}
	done := make([]bool, len(sides))
	var rings []ring
	for first := range sides {
		if done[first] {
			continue
		}
		var walk ring
		at := map[[2]float64]int{} // place of corners in the walk
		for i := first; ; {
			s := sides[i]
			done[i] = true
			at[s.from] = len(walk)
			walk = append(walk, s.from)
			if k, closed := at[s.to]; closed { // a ring ends here; what led to it goes on
				rings = append(rings, slices.Clone(walk[k:]))
				for _, corner := range walk[k:] {
					delete(at, corner)
				}
				walk = walk[:k]
			}
			if i = leftmost(s, sides, from[s.to], done); i < 0 {
				break
			}
		}
	}
	return rings
}

// leftmost is the side, of those that begin where s ends and are not done, that turns farthest to the left; -1 for
// none.
func leftmost(s Side, sides []Side, next []int, done []bool) int {
	best, most := -1, math.Inf(-1)
	dx, dy := s.to[0]-s.from[0], s.to[1]-s.from[1]
	for _, i := range next {
		if done[i] {
			continue
		}
		x, y := sides[i].to[0]-s.to[0], sides[i].to[1]-s.to[1]
		if turn := math.Atan2(dx*y-dy*x, dx*x+dy*y); turn > most {
			best, most = i, turn
		}
	}
	return best
}

// area is that within a ring, negative if it goes clockwise.
func (r ring) area() float64 {
	sum := 0.0
	for i, b := range r {
		a := r[(i+len(r)-1)%len(r)]
		sum += (a[0]-r[0][0])*(b[1]-r[0][1]) - (b[0]-r[0][0])*(a[1]-r[0][1])
	}
	return sum / 2
}

// stripes finds the polygons around a place: sides of outer rings by the stripes of y that they pass.
type stripes struct {
	areas        []float64 // of polygons
	south, width float64
	of           [][]stripe
}

// stripe is a side of a polygon.
type stripe struct {
	Side
	polygon int
}

func newStripes(list []Polygon) *stripes {
	s := &stripes{south: math.Inf(1)}
	north, count := math.Inf(-1), 0
	for _, p := range list {
		s.areas = append(s.areas, p.outer.area())
		count += len(p.outer)
		for _, c := range p.outer {
			s.south, north = min(s.south, c[1]), max(north, c[1])
		}
	}
	n := 1 + count/8
	s.width = (north - s.south) / float64(n)
	s.of = make([][]stripe, n)
	for k, p := range list {
		for i, b := range p.outer {
			a := p.outer[(i+len(p.outer)-1)%len(p.outer)]
			for row := s.row(min(a[1], b[1])); row <= s.row(max(a[1], b[1])); row++ {
				s.of[row] = append(s.of[row], stripe{Side{a, b}, k})
			}
		}
	}
	return s
}

func (s *stripes) row(y float64) int {
	return max(0, min(len(s.of)-1, int((y-s.south)/s.width)))
}

// smallest is the smallest polygon around a hole, -1 for none: that around the middle of one of its Sides, through
// which no other ring passes.
func (s *stripes) smallest(h ring) int {
	x, y := (h[0][0]+h[1][0])/2, (h[0][1]+h[1][1])/2
	around := map[int]bool{}
	for _, e := range s.of[s.row(y)] {
		if (e.from[1] > y) == (e.to[1] > y) {
			continue
		}
		if e.from[0]+(y-e.from[1])/(e.to[1]-e.from[1])*(e.to[0]-e.from[0]) > x {
			around[e.polygon] = !around[e.polygon]
		}
	}
	best := -1
	for k, odd := range around {
		if odd && (best < 0 || s.areas[k] < s.areas[best]) {
			best = k
		}
	}
	return best
}
