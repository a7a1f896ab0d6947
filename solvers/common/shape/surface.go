package shape

import (
	"fmt"
	"math"
)

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

// surface is a closed one of triangles. Its distance has the sign of the side on which the nearest face, edge or vertex
// is seen, by normals weighted with angles (Bærentzen and Aanæs, IEEE Trans. Vis. Comput. Graph. 11, 2005).
type surface struct {
	corner  [][3]point
	normals [][7]point // of a triangle: its face, edges 01, 12, 20, vertices 0, 1, 2
	tree    []branch
	order   []int32 // triangles by the leaves of the tree
}

// newSurface welds the vertices and looks at each edge. Triangles of which two corners are the same are left out: their
// edges cancel.
func newSurface(triangles [][3]point) (*surface, error) {
	s := &surface{}
	ids, names, vertices, err := s.number(triangles)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("the surface has no triangles")
	}
	along, err := s.edges(ids, names)
	if err != nil {
		return nil, err
	}
	s.normals = make([][7]point, len(ids))
	atVertex := make([]point, vertices)
	volume := 0.0
	for t := range ids {
		c := &s.corner[t]
		n := c[1].minus(c[0]).cross(c[2].minus(c[0]))
		if n.size() == 0 {
			return nil, fmt.Errorf("triangle %d with corners %v has no area", names[t], *c)
		}
		volume += c[0].dot(n) / 6
		s.normals[t][0] = n.times(1 / n.size())
		for v := range 3 {
			a, b := c[(v+1)%3].minus(c[v]), c[(v+2)%3].minus(c[v])
			angle := math.Atan2(a.cross(b).size(), a.dot(b))
			id := ids[t][v]
			atVertex[id] = atVertex[id].plus(s.normals[t][0].times(angle))
		}
	}
	for t, id := range ids {
		for e := range 3 {
			other := along[[2]int32{id[(e+1)%3], id[e]}]
			s.normals[t][1+e] = s.normals[t][0].plus(s.normals[other][0])
			s.normals[t][4+e] = atVertex[id[e]]
		}
	}
	if !(volume > 0) {
		return nil, fmt.Errorf("the surface encloses a volume of %g: turn its triangles over, so that they run "+
			"counterclockwise seen from outside", volume)
	}
	s.buildTree()
	return s, nil
}

// number keeps the triangles that are more than a line, and gives their corners ids by where they are. names are the
// numbers of the triangles in the file, from 1 on.
func (s *surface) number(triangles [][3]point) (ids [][3]int32, names []int, vertices int, err error) {
	number := map[point]int32{}
	for t, corner := range triangles {
		var id [3]int32
		for v, p := range corner {
			for d := range p {
				if p[d]-p[d] != 0 {
					return nil, nil, 0, fmt.Errorf("triangle %d: coordinate %v", t+1, p[d])
				}
				p[d] += 0 // -0 is 0
			}
			n, ok := number[p]
			if !ok {
				n = int32(len(number))
				number[p] = n
			}
			id[v] = n
		}
		if id[0] != id[1] && id[1] != id[2] && id[2] != id[0] {
			ids, names = append(ids, id), append(names, t+1)
			s.corner = append(s.corner, corner)
		}
	}
	return ids, names, len(number), nil
}

// edges finds the triangle that runs from one vertex to another, and refuses a surface that is not closed. ids are the
// vertices of the triangles, names their numbers in the file.
func (s *surface) edges(ids [][3]int32, names []int) (map[[2]int32]int32, error) {
	along := make(map[[2]int32]int32, 3*len(ids))
	var first error
	wrong := 0
	find := func(format string, args ...any) {
		if wrong++; first == nil {
			first = fmt.Errorf(format, args...)
		}
	}
	for t, id := range ids {
		for e := range 3 {
			edge := [2]int32{id[e], id[(e+1)%3]}
			if other, twice := along[edge]; twice {
				find("triangles %d and %d both run along the edge from %v to %v: one of them is turned over, or more than "+
					"two meet there",
					names[other], names[t], s.corner[t][e], s.corner[t][(e+1)%3])
			}
			along[edge] = int32(t)
		}
	}
	for t, id := range ids {
		for e := range 3 {
			if _, ok := along[[2]int32{id[(e+1)%3], id[e]}]; !ok {
				find("the edge from %v to %v of triangle %d belongs to no other: the surface is not closed", s.corner[t][e],
					s.corner[t][(e+1)%3], names[t])
			}
		}
	}
	if wrong > 1 {
		first = fmt.Errorf("%w (and %d edges more that are wrong)", first, wrong-1)
	}
	return along, first
}

// distance is that from the surface, negative within.
func (s *surface) distance(x, y, z float64) float64 {
	p := point{x, y, z}
	n := s.nearest(p)
	d := math.Sqrt(n.square)
	if p.minus(n.at).dot(s.normals[n.triangle][n.part]) < 0 {
		return -d
	}
	return d
}

// near is a point of the surface.
type near struct {
	square   float64 // of the distance
	at       point
	triangle int32
	part     int // the face, edge or vertex, as in normals
}

// nearestOf is the point of a triangle nearest to p, and which part of it that is.
func nearestOf(c *[3]point, p point) (at point, part int) {
	ab, ac, ap := c[1].minus(c[0]), c[2].minus(c[0]), p.minus(c[0])
	d1, d2 := ab.dot(ap), ac.dot(ap)
	if d1 <= 0 && d2 <= 0 {
		return c[0], 4
	}
	bp := p.minus(c[1])
	d3, d4 := ab.dot(bp), ac.dot(bp)
	if d3 >= 0 && d4 <= d3 {
		return c[1], 5
	}
	vc := d1*d4 - d3*d2
	if vc <= 0 && d1 >= 0 && d3 <= 0 {
		return c[0].toward(c[1], d1/(d1-d3)), 1
	}
	cp := p.minus(c[2])
	d5, d6 := ab.dot(cp), ac.dot(cp)
	if d6 >= 0 && d5 <= d6 {
		return c[2], 6
	}
	vb := d5*d2 - d1*d6
	if vb <= 0 && d2 >= 0 && d6 <= 0 {
		return c[0].toward(c[2], d2/(d2-d6)), 3
	}
	va := d3*d6 - d5*d4
	if va <= 0 && d4 >= d3 && d5 >= d6 {
		return c[1].toward(c[2], (d4-d3)/((d4-d3)+(d5-d6))), 2
	}
	sum := va + vb + vc
	return c[0].plus(ab.times(vb / sum)).plus(ac.times(vc / sum)), 0
}
