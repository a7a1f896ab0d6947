package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// frame is a position and three directions: that of the normal, and two across it.
type frame[F num.Float] struct {
	at      [3]F
	e       [3][3]F // the last one is the normal
	present bool
}

// corners are the corners of the part of a plane in a cell: of a line two, of a polygon up to six.
type corners[F num.Float] struct {
	p [6][3]F
	n int
}

// system is a system of linear equations with up to six unknowns, and the right-hand side in the last column.
type system[F num.Float] struct{ a [6][7]F }

// fromPolygons is the curvature of the parabola or paraboloid in the frame of the normal whose integrals over the
// projections of the lines or polygons of a cell and its neighbours are theirs, in least squares, each divided by its
// size (after Jibben, Carlson and Francois, Computers & Fluids 2019). So slivers count little, and chords lie at the
// right mean height. Neighbours weigh 1/(1 + 2r²)², with the distance r across the normal: if all weigh the same, the
// second derivative of a sawtooth has the wrong sign (of five values in a row it is (2, -1, -2, -1, 2)/7 times these),
// and surface tension makes short waves grow.
func (q *Interface[F]) fromPolygons(c, i int, n [3]F) F {
	if !q.mixed(c) {
		return NoCurvature
	}
	fr := frameOf(n, q.Dim == 3)
	if !fr.present {
		return NoCurvature
	}
	own := q.cornersOf(c)
	for m := range own.n {
		for d := range 3 {
			fr.at[d] += own.p[m][d] / F(own.n)
		}
	}
	var s system[F]
	used, layers := 0, 0
	if q.Dim == 3 {
		layers = 1
	}
	for z := -layers; z <= layers; z++ {
		for y := -1; y <= 1; y++ {
			for x := -1; x <= 1; x++ {
				at := c + x + y*int(q.SY) + z*int(q.SZ)
				if q.mixed(at) {
					added := q.add(&s, &fr, at, F(x), F(y), F(z))
					if added {
						used++
					}
				}
			}
		}
	}
	unknowns := 3
	if q.Dim == 3 {
		unknowns = 6
	}
	solved := false
	if used >= unknowns {
		solved = s.solve(unknowns)
	}
	if !solved {
		return NoCurvature
	}
	k := bend(s.a[1][6], s.a[5][6], 2*s.a[0][6], 2*s.a[3][6], s.a[4][6])
	if q.Rings {
		slope := s.a[1][6]
		outward := (fr.e[2][0] - slope*fr.e[0][0]) / num.Sqrt(1+slope*slope)
		k += outward / num.Larger(0.25, radius[F](&q.Lattice, i)+fr.at[0]+s.a[2][6]*fr.e[2][0])
	}
	return num.Larger(-mostBent, num.Smaller(mostBent, k))
}

// frameOf is the frame of a normal.
func frameOf[F num.Float](n [3]F, space bool) (fr frame[F]) {
	size := num.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if !(size > 0) {
		return fr
	}
	fr.present = true
	z := [3]F{n[0] / size, n[1] / size, n[2] / size}
	x, y := [3]F{-z[1], z[0], 0}, [3]F{0, 0, 0}
	if space {
		least := 0
		for d := 1; d < 3; d++ {
			if num.Abs(z[d]) < num.Abs(z[least]) {
				least = d
			}
		}
		var a [3]F
		a[least] = 1
		x = cross(a, z)
		long := num.Sqrt(x[0]*x[0] + x[1]*x[1] + x[2]*x[2])
		for d := range 3 {
			x[d] /= long
		}
		y = cross(z, x)
	}
	fr.e[0] = x
	fr.e[1] = y
	fr.e[2] = z
	return fr
}

func cross[F num.Float](a, b [3]F) [3]F {
	return [3]F{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// plane returns the normal of a mixed cell's plane, and its constant for the unit cell.
func (q *Interface[F]) plane(c int) (m [3]F, alpha F) {
	if q.Dim == 2 {
		return [3]F{q.Lines[c].X, q.Lines[c].Y, 0}, q.Lines[c].Alpha
	}
	return [3]F{q.Planes[c].X, q.Planes[c].Y, q.Planes[c].Z}, q.Planes[c].Alpha
}

// cornersOf returns where the plane of a cell crosses the edges of the cell, from the cell's centre.
func (q *Interface[F]) cornersOf(c int) (found corners[F]) {
	m, alpha := q.plane(c)
	least := F(1e-9) * (num.Abs(m[0]) + num.Abs(m[1]) + num.Abs(m[2]))
	ends := 4
	if q.Dim == 2 {
		ends = 2
	}
	for axis := range int(q.Dim) {
		if num.Abs(m[axis]) <= least {
			continue
		}
		a, b := (axis+1)%3, (axis+2)%3
		if q.Dim == 2 {
			a, b = 1-axis, 2
		}
		for end := range ends {
			var p [3]F
			p[a], p[b] = F(end%2), F(end/2)
			t := (alpha - m[a]*p[a] - m[b]*p[b]) / m[axis]
			if t < 0 || t > 1 || found.n >= 6 {
				continue
			}
			p[axis] = t
			for d := range 3 {
				found.p[found.n][d] = p[d] - 0.5
			}
			if q.Dim == 2 {
				found.p[found.n][2] = 0
			}
			found.n++
		}
	}
	return found
}

// add adds the equation of the polygon of a cell at (x, y, z) from the first cell, unless it is of another sheet.
func (q *Interface[F]) add(s *system[F], fr *frame[F], c int, x, y, z F) bool {
	m, alpha := q.plane(c)
	if !(m[0]*fr.e[2][0]+m[1]*fr.e[2][1]+m[2]*fr.e[2][2] > 0) || alpha != alpha {
		return false
	}
	found := q.cornersOf(c)
	for n := range found.n {
		found.p[n] = fr.seen([3]F{found.p[n][0] + x, found.p[n][1] + y, found.p[n][2] + z})
	}
	var row [7]F
	var size F
	if q.Dim == 2 {
		if found.n < 2 {
			return false
		}
		size = overLine(&row, found.p[0], found.p[found.n-1])
	} else {
		if found.n < 3 {
			return false
		}
		size = found.overPolygon(&row)
	}
	if size < faint {
		return false
	}
	var u, v F // the middle
	for n := range found.n {
		u += found.p[n][0] / F(found.n)
		v += found.p[n][1] / F(found.n)
	}
	far := 1 + 2*(u*u+v*v)
	size *= far * far
	for a := range 6 {
		for b := range 7 {
			s.a[a][b] += row[a] * row[b] / size
		}
	}
	return true
}

// seen returns a point in the frame.
func (fr *frame[F]) seen(p [3]F) (v [3]F) {
	for d := range 3 {
		v[d] = (p[0]-fr.at[0])*fr.e[d][0] + (p[1]-fr.at[1])*fr.e[d][1] + (p[2]-fr.at[2])*fr.e[d][2]
	}
	return v
}

// take adds the functions of a paraboloid at a point, and the height there, with a weight.
func take[F num.Float](row *[7]F, p [3]F, w F) {
	u, v := p[0], p[1]
	row[0] += w * (u * u)
	row[1] += w * u
	row[2] += w
	row[3] += w * (v * v)
	row[4] += w * (u * v)
	row[5] += w * v
	row[6] += w * p[2]
}

func between[F num.Float](a, b [3]F) [3]F {
	return [3]F{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2}
}

// overLine integrates over the projection of a line, by Simpson's rule, and returns its length.
func overLine[F num.Float](row *[7]F, a, b [3]F) F {
	length := num.Abs(b[0] - a[0])
	take(row, a, length/6)
	take(row, between(a, b), 4*length/6)
	take(row, b, length/6)
	return length
}

// overPolygon integrates over the projection of a polygon, whose corners it orders, by the midpoints of the edges of
// triangles around its centre, and returns its area.
func (c *corners[F]) overPolygon(row *[7]F) F {
	var centre [3]F
	for n := range c.n {
		for d := range 3 {
			centre[d] += c.p[n][d] / F(c.n)
		}
	}
	var around [6]F
	for n := range c.n {
		p := c.p[n]
		turn := direction(p[0]-centre[0], p[1]-centre[1])
		k := n
		for k > 0 && around[k-1] > turn {
			around[k] = around[k-1]
			c.p[k] = c.p[k-1]
			k--
		}
		around[k] = turn
		c.p[k] = p
	}
	area := F(0)
	for n := range c.n {
		a, b := c.p[n], c.p[(n+1)%c.n]
		part := num.Abs((a[0]-centre[0])*(b[1]-centre[1])-(a[1]-centre[1])*(b[0]-centre[0])) / 2
		area += part
		take(row, between(a, b), part/3)
		take(row, between(b, centre), part/3)
		take(row, between(centre, a), part/3)
	}
	return area
}

// direction increases with the angle of a vector, from 0 to 4.
func direction[F num.Float](x, y F) F {
	size := num.Abs(x) + num.Abs(y)
	if !(size > 0) {
		return 0
	}
	v := y / size
	if x < 0 {
		return 2 - v
	}
	if v < 0 {
		return 4 + v
	}
	return v
}

// solve solves the first n equations by elimination with pivots, and leaves the solution in the last column.
func (s *system[F]) solve(n int) bool {
	for i := range n {
		pivot := i
		for r := i + 1; r < n; r++ {
			if num.Abs(s.a[r][i]) > num.Abs(s.a[pivot][i]) {
				pivot = r
			}
		}
		if !(num.Abs(s.a[pivot][i]) >= 1e-10) {
			return false
		}
		for k := range 7 {
			v := s.a[i][k]
			s.a[i][k] = s.a[pivot][k]
			s.a[pivot][k] = v
		}
		for r := range n {
			if r == i {
				continue
			}
			part := s.a[r][i] / s.a[i][i]
			for k := i; k < 7; k++ {
				s.a[r][k] -= part * s.a[i][k]
			}
		}
	}
	for i := range n {
		s.a[i][6] /= s.a[i][i]
	}
	return true
}
