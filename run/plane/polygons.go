// Package plane has geometry of triangles in the plane. Boundary, SidesOf and Polygons compute the polygons that bound
// a set of triangles spread over ranks.
package plane

import (
	"math"
	"slices"
)

// ring is a closed polyline; the first corner is not repeated at the end. The area that it bounds lies at its left.
type ring [][2]float64

// Polygon is an area with an outer ring, anticlockwise, and rings of holes, clockwise.
type Polygon struct {
	outer ring
	holes []ring
}

// Rings returns the rings as GeoJSON requires them: with the first corner repeated at the end, the outer ring first.
func (p *Polygon) Rings() [][][2]float64 {
	list := make([][][2]float64, 0, 1+len(p.holes))
	for _, r := range append([]ring{p.outer}, p.holes...) {
		list = append(list, append(slices.Clone(r), r[0]))
	}
	return list
}

// Polygons joins the sorted sides of an area to polygons. The area lies at the left of each side. Areas that touch only
// in a corner become separate polygons; each ring visits a corner once.
func Polygons(sides []Side) []Polygon {
	var list []Polygon
	var holes []ring
	for _, r := range traceRings(sides) {
		if r.area() > 0 {
			list = append(list, Polygon{outer: r})
		} else {
			holes = append(holes, r)
		}
	}
	if len(holes) > 0 {
		index := newStripes(list)
		for _, h := range holes {
			if i := index.smallestAround(h); i >= 0 {
				list[i].holes = append(list[i].holes, h)
			}
		}
	}
	return list
}

// traceRings follows sides to closed rings. At each corner it takes the leftmost side, which bounds the same fan of
// triangles.
func traceRings(sides []Side) []ring {
	startingAt := map[[2]float64][]int{} // sides by their start
	for i, s := range sides {
		startingAt[s.from] = append(startingAt[s.from], i)
	}
	used := make([]bool, len(sides))
	var rings []ring
	for first := range sides {
		if used[first] {
			continue
		}
		var walk ring
		indexOf := map[[2]float64]int{} // index of each corner in the walk
		for i := first; ; {
			s := sides[i]
			used[i] = true
			indexOf[s.from] = len(walk)
			walk = append(walk, s.from)
			if k, closed := indexOf[s.to]; closed { // a ring closes here; the walk before it continues
				rings = append(rings, slices.Clone(walk[k:]))
				for _, corner := range walk[k:] {
					delete(indexOf, corner)
				}
				walk = walk[:k]
			}
			if i = leftmostSide(s, sides, startingAt[s.to], used); i < 0 {
				break
			}
		}
	}
	return rings
}

// leftmostSide returns the unused side of next that turns furthest to the left after s; -1 if there is none.
func leftmostSide(s Side, sides []Side, next []int, used []bool) int {
	best, largestAngle := -1, math.Inf(-1)
	dx, dy := s.to[0]-s.from[0], s.to[1]-s.from[1]
	for _, i := range next {
		if used[i] {
			continue
		}
		x, y := sides[i].to[0]-s.to[0], sides[i].to[1]-s.to[1]
		if angle := math.Atan2(dx*y-dy*x, dx*x+dy*y); angle > largestAngle {
			best, largestAngle = i, angle
		}
	}
	return best
}

// area returns the signed area of a ring: negative if it runs clockwise.
func (r ring) area() float64 {
	sum := 0.0
	for i, b := range r {
		a := r[(i+len(r)-1)%len(r)]
		sum += (a[0]-r[0][0])*(b[1]-r[0][1]) - (b[0]-r[0][0])*(a[1]-r[0][1])
	}
	return sum / 2
}

// stripeIndex is a spatial index that finds the polygons around a point: sides of outer rings, by horizontal stripes.
type stripeIndex struct {
	areas        []float64     // areas of the polygons
	south, width float64       // southern end of the first stripe, and width of a stripe
	rows         [][]outerSide // sides that reach into each stripe
}

// outerSide is a side of a polygon's outer ring.
type outerSide struct {
	Side
	polygon int
}

func newStripes(list []Polygon) *stripeIndex {
	s := &stripeIndex{south: math.Inf(1)}
	north, count := math.Inf(-1), 0
	for _, p := range list {
		s.areas = append(s.areas, p.outer.area())
		count += len(p.outer)
		for _, c := range p.outer {
			s.south, north = min(s.south, c[1]), max(north, c[1])
		}
	}
	n := 1 + count/8 // stripes with about eight sides each
	s.width = (north - s.south) / float64(n)
	s.rows = make([][]outerSide, n)
	for k, p := range list {
		for i, b := range p.outer {
			a := p.outer[(i+len(p.outer)-1)%len(p.outer)]
			for row := s.row(min(a[1], b[1])); row <= s.row(max(a[1], b[1])); row++ {
				s.rows[row] = append(s.rows[row], outerSide{Side{a, b}, k})
			}
		}
	}
	return s
}

func (s *stripeIndex) row(y float64) int {
	return max(0, min(len(s.rows)-1, int((y-s.south)/s.width)))
}

// smallestAround returns the smallest polygon that contains a hole; -1 if there is none. It tests the midpoint of the
// hole's first side, which no other ring passes.
func (s *stripeIndex) smallestAround(h ring) int {
	x, y := (h[0][0]+h[1][0])/2, (h[0][1]+h[1][1])/2
	contains := map[int]bool{}
	for _, e := range s.rows[s.row(y)] {
		if (e.from[1] > y) == (e.to[1] > y) {
			continue
		}
		if e.from[0]+(y-e.from[1])/(e.to[1]-e.from[1])*(e.to[0]-e.from[0]) > x {
			contains[e.polygon] = !contains[e.polygon]
		}
	}
	best := -1
	for k, odd := range contains {
		if odd && (best < 0 || s.areas[k] < s.areas[best]) {
			best = k
		}
	}
	return best
}
