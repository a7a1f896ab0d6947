package adapt

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
)

// patch divides the unit square of parameters into n × m boxes, and these by alternating diagonals into triangles, and
// maps them to the plane. If periodic, the second parameter is.
func patch(n, m int, periodic bool, at func(s, t float64) (x, y float64)) *mesh.Mesh {
	out := &mesh.Mesh{}
	rows := m + 1
	if periodic {
		rows = m
	}
	for i := range n + 1 {
		for j := range rows {
			x, y := at(float64(i)/float64(n), float64(j)/float64(m))
			out.X, out.Y = append(out.X, x), append(out.Y, y)
		}
	}
	v := func(i, j int) int32 { return int32(i*rows + j%rows) }
	if !periodic {
		v = func(i, j int) int32 { return int32(i*rows + j) }
	}
	for i := range n {
		for j := range m {
			a, b, c, d := v(i, j), v(i+1, j), v(i+1, j+1), v(i, j+1)
			if (i+j)%2 == 1 {
				out.Cells = append(out.Cells, [3]int32{a, b, c}, [3]int32{a, c, d})
			} else {
				out.Cells = append(out.Cells, [3]int32{a, b, d}, [3]int32{b, c, d})
			}
		}
	}
	return out
}

// square is the unit square, structured.
func square(n int) *mesh.Mesh {
	return patch(n, n, false, func(s, t float64) (x, y float64) { return s, t })
}

// annulus is the ring between circles of radius 0.3 and 1.
func annulus() *mesh.Mesh {
	return patch(6, 64, true, func(s, t float64) (x, y float64) {
		sin, cos := math.Sincos(2 * math.Pi * t)
		return (.3 + .7*s) * cos, (.3 + .7*s) * sin
	})
}

// inclusion is a square of side 2 around a disc of radius 0.3, without its centre, of another material.
func inclusion() *mesh.Mesh {
	m := patch(8, 48, true, func(s, t float64) (x, y float64) {
		y, x = math.Sincos(2 * math.Pi * t)
		if s <= .5 {
			return (.06 + .48*s) * x, (.06 + .48*s) * y
		}
		k, w := 1/max(math.Abs(x), math.Abs(y)), 2*s-1
		r := .3*(1-w) + k*w
		return r * x, r * y
	})
	m.Groups = []mesh.Group{{Dim: 2, Tag: 1, Name: "disc"}, {Dim: 2, Tag: 2, Name: "outside"}}
	for c := range m.Cells {
		x, y := m.Centroid(c)
		m.CellGroup = append(m.CellGroup, 0)
		if math.Hypot(x, y) > .3 {
			m.CellGroup[c] = 1
		}
	}
	return m
}

// corner is an L: the square of side 2 without a quarter.
func corner() *mesh.Mesh {
	m := patch(8, 8, false, func(s, t float64) (x, y float64) { return 2*s - 1, 2*t - 1 })
	kept := m.Cells[:0]
	for c, v := range m.Cells {
		if x, y := m.Centroid(c); x < 0 || y > 0 {
			kept = append(kept, v)
		}
	}
	m.Cells = kept
	m.Mend()
	m.Notes = nil
	return m
}

// irregular is the unit square with vertices shifted at random, and edges flipped to Delaunay.
func irregular() (*mesh.Mesh, error) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 4000, 1)
	if err != nil {
		return nil, err
	}
	_, err = m.FlipToDelaunay()
	m.Groups, m.Tagged = nil, nil
	return m, err
}

// cube is the unit cube, of n³ boxes cut into six tetrahedra each; with shift their vertices are moved at random.
func cube(n int, shift float64) (*mesh.Solid, error) { return mesh.Cube(n, n, n, shift, 1) }
