package conserve

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/vector"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// simplex is a triangle, whose last vertex is not used, or a tetrahedron.
type simplex [4][3]float64

// corners returns the vertices of a cell relative to an origin.
func corners(m *metric.Mesh, cell int32, origin *[3]float64) (s simplex) {
	n := int32(m.Dim + 1)
	for i, v := range m.Cells[cell*n : (cell+1)*n] {
		for k := range m.Dim {
			s[i][k] = m.X[k][v] - origin[k]
		}
	}
	return s
}

// side returns a vector n and a position on the facet of a simplex opposite to vertex i: inside of the simplex
// n·(x - at) is positive.
func (s *simplex) side(dim, i int) (n, at [3]float64) {
	at = s[(i+1)%(dim+1)]
	u := vector.Minus(s[(i+2)%(dim+1)], at)
	if n = [3]float64{-u[1], u[0]}; dim == 3 {
		n = vector.Cross(u, vector.Minus(s[(i+3)%4], at))
	}
	if vector.Dot(n, vector.Minus(s[i], at)) < 0 {
		n = [3]float64{-n[0], -n[1], -n[2]}
	}
	return n, at
}

// volume returns the area or volume of a simplex.
func (s *simplex) volume(dim int) float64 {
	u, v := vector.Minus(s[1], s[0]), vector.Minus(s[2], s[0])
	if dim == 2 {
		return math.Abs(u[0]*v[1]-u[1]*v[0]) / 2
	}
	return math.Abs(vector.Dot(vector.Cross(u, v), vector.Minus(s[3], s[0]))) / 6
}

// clipper intersects simplices, in memory that it keeps.
type clipper struct {
	dim       int
	now, next []simplex
}

// intersect returns the volume of the intersection of two simplices, and its centroid. What is left of the first is
// divided into simplices after each side of the second.
func (c *clipper) intersect(a, b *simplex) (volume float64, centroid [3]float64) {
	c.now = append(c.now[:0], *a)
	for i := range c.dim + 1 {
		if c.cut(b.side(c.dim, i)); len(c.now) == 0 {
			return 0, centroid
		}
	}
	for i := range c.now {
		s := &c.now[i]
		v := s.volume(c.dim)
		volume += v
		for _, x := range s[:c.dim+1] {
			for k := range c.dim {
				centroid[k] += v * x[k] / float64(c.dim+1)
			}
		}
	}
	if volume > 0 {
		for k := range centroid {
			centroid[k] /= volume
		}
	}
	return volume, centroid
}

// cut keeps what is in the direction of n from a position.
func (c *clipper) cut(n, at [3]float64) {
	c.next = c.next[:0]
	for k := range c.now {
		s := &c.now[k]
		var height [4]float64
		var in, out [4]int
		inside, outside := 0, 0
		for i := range c.dim + 1 {
			if height[i] = vector.Dot(n, vector.Minus(s[i], at)); height[i] > 0 {
				in[inside] = i
				inside++
			} else {
				out[outside] = i
				outside++
			}
		}
		between := func(i, o int) (p [3]float64) {
			t := height[i] / (height[i] - height[o])
			for k := range p {
				p[k] = s[i][k] + t*(s[o][k]-s[i][k])
			}
			return p
		}
		switch {
		case outside == 0:
			c.next = append(c.next, *s)
		case inside == 1:
			t := simplex{s[in[0]]}
			for k, o := range out[:outside] {
				t[1+k] = between(in[0], o)
			}
			c.next = append(c.next, t)
		case inside == 2 && c.dim == 2:
			p, q := between(in[0], out[0]), between(in[1], out[0])
			c.next = append(c.next, simplex{s[in[0]], s[in[1]], q}, simplex{s[in[0]], p, q})
		case inside == 2:
			c.addPrism([3][3]float64{s[in[0]], between(in[0], out[0]), between(in[0], out[1])},
				[3][3]float64{s[in[1]], between(in[1], out[0]), between(in[1], out[1])})
		case inside == 3:
			c.addPrism([3][3]float64{s[in[0]], s[in[1]], s[in[2]]},
				[3][3]float64{between(in[0], out[0]), between(in[1], out[0]), between(in[2], out[0])})
		}
	}
	c.now, c.next = c.next, c.now
}

// addPrism adds the tetrahedra of a prism between two triangles.
func (c *clipper) addPrism(a, b [3][3]float64) {
	c.next = append(c.next, simplex{a[0], a[1], a[2], b[2]}, simplex{a[0], a[1], b[1], b[2]},
		simplex{a[0], b[0], b[1], b[2]})
}
