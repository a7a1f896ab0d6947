package shape

import "math"

type point [3]float64

func (a point) minus(b point) point             { return point{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a point) plus(b point) point              { return point{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a point) times(s float64) point           { return point{a[0] * s, a[1] * s, a[2] * s} }
func (a point) dot(b point) float64             { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a point) size() float64                   { return math.Sqrt(a.dot(a)) }
func (a point) toward(b point, t float64) point { return a.plus(b.minus(a).times(t)) }

func (a point) cross(b point) point {
	return point{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// surface is a closed surface of triangles, counterclockwise seen from outside, or clockwise around a cavity.
type surface struct {
	corner [][3]point
	tree   []branch
	order  []int32 // triangles in the order of the tree's leaves
}

func newSurface(triangles [][3]point) *surface {
	s := &surface{corner: triangles}
	s.buildTree()
	return s
}

// volume returns the enclosed volume, negative for the surface of a cavity, and the area of the triangles.
func (s *surface) volume() (volume, area float64) {
	origin := s.tree[0].lo
	for _, c := range s.corner {
		n := c[1].minus(c[0]).cross(c[2].minus(c[0]))
		volume += c[0].minus(origin).dot(n) / 6
		area += n.size() / 2
	}
	return volume, area
}

// distance returns the distance from the surface, negative where its winding number has the given sign.
func (s *surface) distance(p point, sign int) float64 {
	d := math.Sqrt(s.nearest(p))
	if s.winding(p)*sign > 0 {
		return -d
	}
	return d
}

// nearestOf returns the point of a triangle nearest to p.
func nearestOf(c *[3]point, p point) point {
	ab, ac, ap := c[1].minus(c[0]), c[2].minus(c[0]), p.minus(c[0])
	d1, d2 := ab.dot(ap), ac.dot(ap)
	if d1 <= 0 && d2 <= 0 {
		return c[0]
	}
	bp := p.minus(c[1])
	d3, d4 := ab.dot(bp), ac.dot(bp)
	if d3 >= 0 && d4 <= d3 {
		return c[1]
	}
	vc := d1*d4 - d3*d2
	if vc <= 0 && d1 >= 0 && d3 <= 0 {
		return c[0].toward(c[1], share(d1, d1-d3))
	}
	cp := p.minus(c[2])
	d5, d6 := ab.dot(cp), ac.dot(cp)
	if d6 >= 0 && d5 <= d6 {
		return c[2]
	}
	vb := d5*d2 - d1*d6
	if vb <= 0 && d2 >= 0 && d6 <= 0 {
		return c[0].toward(c[2], share(d2, d2-d6))
	}
	va := d3*d6 - d5*d4
	if va <= 0 && d4 >= d3 && d5 >= d6 {
		return c[1].toward(c[2], share(d4-d3, (d4-d3)+(d5-d6)))
	}
	sum := va + vb + vc
	return c[0].plus(ab.times(vb / sum)).plus(ac.times(vc / sum))
}

// share is part/whole, and 0 of nothing, as for an edge of length 0.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
