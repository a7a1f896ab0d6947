package shape

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/roots"
)

// plane is normal to the last of three axes, with the curves in which it intersects surfaces: lines, and ellipses
// with axes along the coordinates.
type plane struct {
	axes     [3]int
	position float64
	curves   []curve
}

// curve is the line a·p + b·q = c, or an ellipse with half-axes a and b around (p, q). surface is the number of the
// surface on the lower half of an ellipse; the upper half has surface + 1.
type curve struct {
	isEllipse bool
	surface   int32
	a, b, c   float64
	p, q      float64
}

// cut finds the curves of a tree in a plane.
func (s *plane) cut(n *node, position float64, axes [3]int) {
	s.position, s.axes, s.curves = position, axes, s.curves[:0]
	s.add(n)
}

func (s *plane) add(n *node) {
	if n.op == single {
		n.figure.section(n, s)
	}
	for _, c := range n.children {
		s.add(c)
	}
}

func (s *plane) line(a, b, c float64) {
	if c-c == 0 && (a != 0 || b != 0) {
		s.curves = append(s.curves, curve{a: a, b: b, c: c})
	}
}

// ellipse adds an ellipse, or two lines if a half-axis is infinite.
func (s *plane) ellipse(surface int32, p, q, a, b float64) {
	switch {
	case !(a > 0 && b > 0):
	case math.IsInf(a, 1):
		s.line(0, 1, q-b)
		s.line(0, 1, q+b)
	case math.IsInf(b, 1):
		s.line(1, 0, p-a)
		s.line(1, 0, p+a)
	default:
		s.curves = append(s.curves, curve{isEllipse: true, surface: surface, p: p, q: q, a: a, b: b})
	}
}

// breaks appends the positions along q, as fractions of the cell's side, where curves have extrema or intersect each
// other or the sides of the cell across p. Between two of them each curve is smooth and their order does not change.
// Positions outside the cell are dropped.
func (s *plane) breaks(c *Cell, dst []float64) []float64 {
	p, q := s.axes[0], s.axes[1]
	first := len(dst)
	for i := range s.curves {
		e := &s.curves[i]
		if e.isEllipse {
			dst = append(dst, e.q-e.b, e.q+e.b)
		}
		for _, side := range [2]float64{c.Lo[p], c.Lo[p] + c.H[p]} {
			dst = e.intersect(&curve{a: 1, c: side}, dst)
		}
		for k := range i {
			dst = e.intersect(&s.curves[k], dst)
		}
	}
	return inUnit(dst, first, c.Lo[q], c.H[q])
}

// inUnit converts the positions from index first on to fractions of the cell's side, and drops those outside of it.
func inUnit(positions []float64, first int, lo, h float64) []float64 {
	n := first
	for _, x := range positions[first:] {
		if x = (x - lo) / h; x > 0 && x < 1 {
			positions[n] = x
			n++
		}
	}
	return positions[:n]
}

// intersect appends the intersections of two curves, by their position along q.
func (e *curve) intersect(f *curve, dst []float64) []float64 {
	switch {
	case !e.isEllipse && !f.isEllipse:
		if d := e.a*f.b - f.a*e.b; d != 0 {
			dst = append(dst, (e.a*f.c-f.a*e.c)/d)
		} else if e.a == 0 {
			dst = append(dst, e.c/e.b)
		}
		return dst
	case !e.isEllipse:
		return f.intersect(e, dst)
	case !f.isEllipse:
		return e.intersectLine(f.a, f.b, f.c, dst)
	}
	// Relative to the centre of e and in units of its half-axes, e is x² + y² = 1 and f is k·(x-u)² + l·(y-v)² = 1.
	u, v := (f.p-e.p)/e.a, (f.q-e.q)/e.b
	k, l := e.a/f.a, e.b/f.b
	k, l = k*k, l*l
	if math.Abs(k-l) <= 1e-13*k { // the difference of the equations is a line
		x, y, c := 2*k*u, 2*l*v, k-1+k*u*u+l*v*v
		return e.intersectLine(x/e.a, y/e.b, c+x*e.p/e.a+y*e.q/e.b, dst)
	}
	// The difference of the equations, with x² = 1 - y²: 2·k·u·x = m0 + m1·y + m2·y². If u is nearly 0, the squared
	// equation has nearly double roots, which roots.Polynomial may miss: the roots without the square are added.
	m0, m1, m2 := k-1+k*u*u+l*v*v, -2*l*v, l-k
	w := 2 * k * u
	w *= w
	for _, y := range roots.Polynomial([]float64{m0*m0 - w, 2 * m0 * m1, m1*m1 + 2*m0*m2 + w, 2 * m1 * m2, m2 * m2}) {
		dst = append(dst, e.q+e.b*y)
	}
	if w < 1e-10 {
		for _, y := range roots.Polynomial([]float64{m0, m1, m2}) {
			dst = append(dst, e.q+e.b*y)
		}
	}
	return dst
}

// intersectLine appends the intersections of an ellipse with a·p + b·q = c.
func (e *curve) intersectLine(a, b, c float64, dst []float64) []float64 {
	// In half-axes: x·cos + y·sin = distance.
	x, y := a*e.a, b*e.b
	size := math.Sqrt(x*x + y*y)
	if !(size > 0) {
		return dst
	}
	d := (c - a*e.p - b*e.q) / size
	root := (1 - d) * (1 + d)
	if !(root >= 0) {
		return dst
	}
	x, y, root = x/size, y/size, math.Sqrt(root)
	return append(dst, e.q+e.b*(d*y-root*x), e.q+e.b*(d*y+root*x))
}
