package shape

import (
	"math"
	"slices"
)

// plane is one across an axis, the last of three, with the curves in which it cuts surfaces, all of them lines and
// ellipses along the axes.
type plane struct {
	axes   [3]int
	at     float64
	curves []curve
}

// curve is the line a·p + b·q = c, or an ellipse with half-axes a and b around (p, q). of is the surface that the lower
// half of an ellipse is on; the upper half is on the next one.
type curve struct {
	round   bool
	of      int32
	a, b, c float64
	p, q    float64
}

// cut finds the curves of a tree.
func (s *plane) cut(n *node, at float64, axes [3]int) {
	s.at, s.axes, s.curves = at, axes, s.curves[:0]
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

// ellipse adds one. Where a half-axis is infinite it is two lines.
func (s *plane) ellipse(of int32, p, q, a, b float64) {
	switch {
	case !(a > 0 && b > 0):
	case math.IsInf(a, 1):
		s.line(0, 1, q-b)
		s.line(0, 1, q+b)
	case math.IsInf(b, 1):
		s.line(1, 0, p-a)
		s.line(1, 0, p+a)
	default:
		s.curves = append(s.curves, curve{round: true, of: of, p: p, q: q, a: a, b: b})
	}
}

// breaks appends where along q, as shares of a cell's side, curves meet each other, the cell's sides across p, or turn:
// between two of these positions each curve is smooth, and their order is the same. Places outside the cell are left
// out.
func (s *plane) breaks(c *Cell, to []float64) []float64 {
	p, q := s.axes[0], s.axes[1]
	from := len(to)
	for i := range s.curves {
		e := &s.curves[i]
		if e.round {
			to = append(to, e.q-e.b, e.q+e.b)
		}
		for _, side := range [2]float64{c.Lo[p], c.Lo[p] + c.H[p]} {
			to = e.meets(&curve{a: 1, c: side}, to)
		}
		for k := range i {
			to = e.meets(&s.curves[k], to)
		}
	}
	return inUnit(to, from, c.Lo[q], c.H[q])
}

// inUnit keeps, of the positions from a number on, those within a cell's side, as shares of it.
func inUnit(places []float64, from int, lo, h float64) []float64 {
	n := from
	for _, x := range places[from:] {
		if x = (x - lo) / h; x > 0 && x < 1 {
			places[n] = x
			n++
		}
	}
	return places[:n]
}

// meets appends where two curves meet along q.
func (e *curve) meets(f *curve, to []float64) []float64 {
	switch {
	case !e.round && !f.round:
		if d := e.a*f.b - f.a*e.b; d != 0 {
			to = append(to, (e.a*f.c-f.a*e.c)/d)
		} else if e.a == 0 {
			to = append(to, e.c/e.b)
		}
		return to
	case !e.round:
		return f.meets(e, to)
	case !f.round:
		return e.meetsLine(f.a, f.b, f.c, to)
	}
	// About the middle of e, in its half-axes, it is x² + y² = 1, and f is k·(x-u)² + l·(y-v)² = 1.
	u, v := (f.p-e.p)/e.a, (f.q-e.q)/e.b
	k, l := e.a/f.a, e.b/f.b
	k, l = k*k, l*l
	if math.Abs(k-l) <= 1e-13*k { // the difference is a line
		x, y, c := 2*k*u, 2*l*v, k-1+k*u*u+l*v*v
		return e.meetsLine(x/e.a, y/e.b, c+x*e.p/e.a+y*e.q/e.b, to)
	}
	// The difference, with x² = 1 - y²: 2·k·u·x = m0 + m1·y + m2·y². Where u is next to nothing, roots of the square of
	// that are double ones.
	m0, m1, m2 := k-1+k*u*u+l*v*v, -2*l*v, l-k
	w := 2 * k * u
	w *= w
	for _, y := range realRoots([]float64{m0*m0 - w, 2 * m0 * m1, m1*m1 + 2*m0*m2 + w, 2 * m1 * m2, m2 * m2}) {
		to = append(to, e.q+e.b*y)
	}
	if w < 1e-10 {
		for _, y := range realRoots([]float64{m0, m1, m2}) {
			to = append(to, e.q+e.b*y)
		}
	}
	return to
}

// meetsLine appends where an ellipse meets a·p + b·q = c.
func (e *curve) meetsLine(a, b, c float64, to []float64) []float64 {
	// In half-axes: x·cos + y·sin = distance.
	x, y := a*e.a, b*e.b
	size := math.Sqrt(x*x + y*y)
	if !(size > 0) {
		return to
	}
	d := (c - a*e.p - b*e.q) / size
	rest := (1 - d) * (1 + d)
	if !(rest >= 0) {
		return to
	}
	x, y, rest = x/size, y/size, math.Sqrt(rest)
	return append(to, e.q+e.b*(d*y-rest*x), e.q+e.b*(d*y+rest*x))
}

// realRoots are those from -1 to 1 of Σ a[k]·x^k, between the roots of its derivative. A double one may be missed.
func realRoots(a []float64) []float64 {
	for len(a) > 1 && a[len(a)-1] == 0 {
		a = a[:len(a)-1]
	}
	if len(a) < 2 {
		return nil
	}
	slope := make([]float64, len(a)-1)
	for k := range slope {
		slope[k] = float64(k+1) * a[k+1]
	}
	value := func(x float64) float64 {
		v := 0.0
		for _, c := range slices.Backward(a) {
			v = v*x + c
		}
		return v
	}
	var roots []float64
	x0 := -1.0
	v0 := value(x0)
	for _, x1 := range append(realRoots(slope), 1) {
		v1 := value(x1)
		if v0 < 0 != (v1 < 0) {
			roots = append(roots, bisected(value, x0, x1, v0))
		}
		x0, v0 = x1, v1
	}
	return roots
}

// bisected is where f changes its sign between x0, where it is v0, and x1.
func bisected(f func(x float64) float64, x0, x1, v0 float64) float64 {
	for x1-x0 > 1e-15 {
		x := (x0 + x1) / 2
		if x <= x0 || x >= x1 {
			break
		}
		if f(x) < 0 == (v0 < 0) {
			x0 = x
		} else {
			x1 = x
		}
	}
	return (x0 + x1) / 2
}
