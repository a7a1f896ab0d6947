// Package measure has the lengths of edges and the sizes and qualities of cells in a metric. Arithmetic is + − × ÷ √
// only, so that results have the same bits on every processor.
package measure

import "math"

// Vector is a position or a difference of positions; in the plane the third component is 0.
type Vector = [3]float64

// Tensor is a symmetric tensor: m11 m12 m22 m13 m23 m33, as in Medit files. In the plane the last three are 0.
type Tensor = [6]float64

func Sub(a, b *Vector) Vector { return Vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func Scaled(f float64, a *Vector) Vector { return Vector{f * a[0], f * a[1], f * a[2]} }

func Dot(a, b *Vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func Cross(a, b *Vector) Vector {
	return Vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Square is u'Mu.
func Square(dim int, m *Tensor, u *Vector) float64 {
	s := u[0]*(m[0]*u[0]+m[1]*u[1]) + u[1]*(m[1]*u[0]+m[2]*u[1])
	if dim == 3 {
		s += u[2] * (2*(m[3]*u[0]+m[4]*u[1]) + m[5]*u[2])
	}
	return s
}

// Product is Mu.
func Product(m *Tensor, u *Vector) Vector {
	return Vector{m[0]*u[0] + m[1]*u[1] + m[3]*u[2], m[1]*u[0] + m[2]*u[1] + m[4]*u[2],
		m[3]*u[0] + m[4]*u[1] + m[5]*u[2]}
}

// Entry is the index in a Tensor of row i and column j ≤ i: the components are in the order of the loops over i and j.
var Entry = [3][3]int{{0, 1, 3}, {1, 2, 4}, {3, 4, 5}}

// Determinant is that of a tensor.
func Determinant(dim int, m *Tensor) float64 {
	if dim == 2 {
		return m[0]*m[2] - m[1]*m[1]
	}
	return m[0]*(m[2]*m[5]-m[4]*m[4]) - m[1]*(m[1]*m[5]-m[4]*m[3]) + m[3]*(m[1]*m[4]-m[2]*m[3])
}

func Inverse(dim int, m *Tensor) Tensor {
	if dim == 2 {
		d := Determinant(2, m)
		return Tensor{m[2] / d, -m[1] / d, m[0] / d}
	}
	a, b, c, d, e, f := m[0], m[1], m[2], m[3], m[4], m[5]
	p, q, r := c*f-e*e, d*e-b*f, b*e-c*d
	t := a*p + b*q + d*r
	return Tensor{p / t, q / t, (a*f - d*d) / t, r / t, (b*d - a*e) / t, (a*c - b*b) / t}
}

// EdgeLength is the length of the edge from a to b in a metric of which the size varies along the edge such that the
// length element is linear in between (as in Mmg): with the lengths l and k in the metrics of both ends
// ⅔(l² + lk + k²)/(l + k).
func EdgeLength(dim int, a *Vector, ma *Tensor, b *Vector, mb *Tensor) float64 {
	u := Sub(b, a)
	la, lb := math.Sqrt(Square(dim, ma, &u)), math.Sqrt(Square(dim, mb, &u))
	sum := la + lb
	if !(sum > 0) {
		return 0
	}
	return (2.0 / 3.0) * (la*la + la*lb + lb*lb) / sum
}

// Volume is the area of a triangle or the volume of a tetrahedron, negative if it is inverted.
func Volume(dim int, x *[4]*Vector) float64 {
	u, v := Sub(x[1], x[0]), Sub(x[2], x[0])
	if dim == 2 {
		return 0.5 * (u[0]*v[1] - u[1]*v[0])
	}
	w, n := Sub(x[3], x[0]), Cross(&u, &v)
	return Dot(&w, &n) / 6
}

// Factors that make the quality of the regular cell 1: 4√3 and 72√3.
const (
	planeQuality = 6.928203230275509
	spaceQuality = 124.70765814495915
)

// Least shares of a cell's volume in that of its longest edge, below which it counts as flat. They are above the
// rounding errors of the volume.
const (
	planeFlat = 1e-12
	spaceFlat = 1e-11
)

// Quality of a cell is 4√3 A √det M / Σl² for a triangle, 72√3 V √det M / (Σl²)^1.5 for a tetrahedron, with M the mean
// of the metrics at its vertices and l the lengths of its edges. It is 0 for a flat cell, and negative for an inverted
// one.
func Quality(dim int, x *[4]*Vector, m *[4]*Tensor) float64 {
	if dim == 2 {
		const third = 1.0 / 3
		return PlaneQuality(x[0][0], x[0][1], x[1][0], x[1][1], x[2][0], x[2][1],
			(m[0][0]+m[1][0]+m[2][0])*third, (m[0][1]+m[1][1]+m[2][1])*third, (m[0][2]+m[1][2]+m[2][2])*third)
	}
	u, v, w := Sub(x[1], x[0]), Sub(x[2], x[0]), Sub(x[3], x[0])
	n := Cross(&u, &v)
	vol := Dot(&w, &n) / 6
	p, q, r := Sub(x[2], x[1]), Sub(x[3], x[1]), Sub(x[3], x[2])
	edges := [6]*Vector{&u, &v, &w, &p, &q, &r}
	longest := 0.0
	for _, e := range edges {
		longest = max(longest, Dot(e, e))
	}
	if !(vol*vol > spaceFlat*spaceFlat*longest*longest*longest) {
		return min(0, vol)
	}
	mean := MeanMetric(m)
	sum := 0.0
	for _, e := range edges {
		sum += Square(3, &mean, e)
	}
	return spaceQuality * (vol * math.Sqrt(Determinant(3, &mean))) / (sum * math.Sqrt(sum))
}

// PlaneQuality is the quality of a triangle with corners a, b and c and the mean metric (m11, m12, m22).
func PlaneQuality(ax, ay, bx, by, cx, cy, m11, m12, m22 float64) float64 {
	ux, uy := bx-ax, by-ay
	vx, vy := cx-ax, cy-ay
	wx, wy := cx-bx, cy-by
	area := 0.5 * (ux*vy - uy*vx)
	longest := max(ux*ux+uy*uy, vx*vx+vy*vy, wx*wx+wy*wy)
	if !(area > planeFlat*longest) {
		return min(0, area)
	}
	sum := ux*(m11*ux+m12*uy) + uy*(m12*ux+m22*uy)
	sum += vx*(m11*vx+m12*vy) + vy*(m12*vx+m22*vy)
	sum += wx*(m11*wx+m12*wy) + wy*(m12*wx+m22*wy)
	return planeQuality * (area * math.Sqrt(m11*m22-m12*m12)) / sum
}

// RegularArea is the area of the regular triangle with edges of length 1.
const RegularArea = 0.4330127018922193

// RegularVolume is the volume of the regular cell with edges of length 1.
var RegularVolume = [4]float64{2: RegularArea, 3: 0.11785113019775792}

// SizeOf is the volume of a cell in the mean metric of its vertices, relative to the regular cell with edges of length
// 1.
func SizeOf(dim int, x *[4]*Vector, m *[4]*Tensor) float64 {
	var mean Tensor
	for k := range dim * (dim + 1) / 2 {
		for i := range dim + 1 {
			mean[k] += m[i][k]
		}
		mean[k] /= float64(dim + 1)
	}
	return Volume(dim, x) * math.Sqrt(Determinant(dim, &mean)) / RegularVolume[dim]
}

// Mix is a bijection of 64-bit words in which each bit depends on all others (the finaliser of splitmix64).
func Mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// indefinite is the share of a diagonal entry that a pivot must exceed: below, a matrix counts as singular.
const indefinite = 1e-14

// NewtonStep solves h·d = -g for a positive definite h, and returns false if h is not.
func NewtonStep(dim int, h *Tensor, g *Vector) (d Vector, ok bool) {
	if !(h[0] > 0) {
		return d, false
	}
	if dim == 2 {
		t := Determinant(2, h)
		if !(t > indefinite*h[0]*h[2]) {
			return d, false
		}
		return Vector{-(h[2]*g[0] - h[1]*g[1]) / t, -(h[0]*g[1] - h[1]*g[0]) / t}, true
	}
	l11 := math.Sqrt(h[0])
	l21, l31 := h[1]/l11, h[3]/l11
	p := h[2] - l21*l21
	if !(p > indefinite*h[2]) {
		return d, false
	}
	l22 := math.Sqrt(p)
	l32 := (h[4] - l31*l21) / l22
	q := h[5] - l31*l31 - l32*l32
	if !(q > indefinite*h[5]) {
		return d, false
	}
	l33 := math.Sqrt(q)
	y1 := -g[0] / l11
	y2 := (-g[1] - l21*y1) / l22
	y3 := (-g[2] - l31*y1 - l32*y2) / l33
	d[2] = y3 / l33
	d[1] = (y2 - l32*d[2]) / l22
	d[0] = (y1 - l21*d[1] - l31*d[2]) / l11
	return d, true
}
