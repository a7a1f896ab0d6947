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

// surface is a closed surface of triangles. The sign of its distance is the side of the nearest face, edge or vertex,
// by angle-weighted normals (Bærentzen and Aanæs, IEEE Trans. Vis. Comput. Graph. 11, 2005).
type surface struct {
	corner  [][3]point
	normals [][7]point // for each triangle: of its face, edges 01, 12, 20, and vertices 0, 1, 2
	tree    []branch
	order   []int32 // triangles in the order of the tree's leaves
}

// newSurface merges equal vertices and checks each edge. Triangles with two equal corners are dropped: their edges
// cancel.
func newSurface(triangles [][3]point) (*surface, error) {
	s := &surface{}
	ids, fileNumbers, vertices, err := s.number(triangles)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("the surface has no triangles")
	}
	triangleAt, err := s.edges(ids, fileNumbers)
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
			return nil, fmt.Errorf("triangle %d with corners %v has no area", fileNumbers[t], *c)
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
			other := triangleAt[[2]int32{id[(e+1)%3], id[e]}]
			s.normals[t][1+e] = s.normals[t][0].plus(s.normals[other][0])
			s.normals[t][4+e] = atVertex[id[e]]
		}
	}
	if !(volume > 0) {
		return nil, fmt.Errorf("the surface encloses a volume of %g: reverse its triangles, so that they are "+
			"counterclockwise seen from outside", volume)
	}
	s.buildTree()
	return s, nil
}

// number drops triangles with equal corners, and numbers vertices by their position. fileNumbers are the numbers of the
// remaining triangles in the file, from 1.
func (s *surface) number(triangles [][3]point) (ids [][3]int32, fileNumbers []int, vertices int, err error) {
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
			ids, fileNumbers = append(ids, id), append(fileNumbers, t+1)
			s.corner = append(s.corner, corner)
		}
	}
	return ids, fileNumbers, len(number), nil
}

// edges maps each directed edge to its triangle, and refuses a surface that is not closed. ids are the vertices of
// the triangles, fileNumbers their numbers in the file.
func (s *surface) edges(ids [][3]int32, fileNumbers []int) (map[[2]int32]int32, error) {
	triangleAt := make(map[[2]int32]int32, 3*len(ids))
	var first error
	wrong := 0
	report := func(format string, args ...any) {
		if wrong++; first == nil {
			first = fmt.Errorf(format, args...)
		}
	}
	for t, id := range ids {
		for e := range 3 {
			edge := [2]int32{id[e], id[(e+1)%3]}
			if other, twice := triangleAt[edge]; twice {
				report("triangles %d and %d both run along the edge from %v to %v: one of them has the wrong orientation, or "+
					"more than "+
					"two meet there",
					fileNumbers[other], fileNumbers[t], s.corner[t][e], s.corner[t][(e+1)%3])
			}
			triangleAt[edge] = int32(t)
		}
	}
	for t, id := range ids {
		for e := range 3 {
			if _, ok := triangleAt[[2]int32{id[(e+1)%3], id[e]}]; !ok {
				report("the edge from %v to %v of triangle %d belongs to no other triangle: the surface is not closed",
					s.corner[t][e],
					s.corner[t][(e+1)%3], fileNumbers[t])
			}
		}
	}
	if wrong > 1 {
		first = fmt.Errorf("%w (and %d more edges)", first, wrong-1)
	}
	return triangleAt, first
}

// distance returns the distance from the surface, negative inside.
func (s *surface) distance(x, y, z float64) float64 {
	p := point{x, y, z}
	n := s.nearest(p)
	d := math.Sqrt(n.square)
	if p.minus(n.point).dot(s.normals[n.triangle][n.part]) < 0 {
		return -d
	}
	return d
}

// nearestPoint is the point of the surface nearest to a given point.
type nearestPoint struct {
	square   float64 // of the distance
	point    point
	triangle int32
	part     int // the face, edge or vertex: index in normals
}

// nearestOf returns the point of a triangle nearest to p, and the part of the triangle that has it.
func nearestOf(c *[3]point, p point) (q point, part int) {
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
