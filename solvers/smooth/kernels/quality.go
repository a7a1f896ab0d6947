package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// The quality of a triangle of area V and perimeter P in the mean M of its corners' metrics is that of Vasilevskii and
// Lipnikov (Comp. Math. Math. Phys. 39 (1999) 1468): with m the smaller of P/3 and its inverse,
//
//	Q = 12√3 V √det M / P² · F,  F = [m(2-m)]³,
//
// which is 1 for the equilateral triangle of sides 1, and negative for an inverted one.
const twelveRoots = 20.784609690826527522 // 12√3

// Triangle holds measures of a triangle (p, a, b), counter-clockwise, in the metric.
type Triangle[F num.Float] struct {
	m              Tensor[F] // mean of the corners' metrics
	area, root     F         // V and √det M
	la, lb, lc     F         // lengths of the sides pa, pb and ab
	perimeter, fit F         // P and F
}

// Measure computes the triangle of vertices a and b with a corner at (x, y) with metric m.
func Measure[F num.Float](x, y F, m *Tensor[F], a, b *Vertex[F]) Triangle[F] {
	var t Triangle[F]
	t.m.M11, t.m.M12, t.m.M22 = (m.M11+a.M11+b.M11)/3, (m.M12+a.M12+b.M12)/3, (m.M22+a.M22+b.M22)/3
	ax, ay, bx, by := a.X-x, a.Y-y, b.X-x, b.Y-y
	t.area = (ax*by - bx*ay) / 2
	t.root = num.Sqrt(t.m.M11*t.m.M22 - t.m.M12*t.m.M12)
	t.la, t.lb, t.lc = t.m.length(ax, ay), t.m.length(bx, by), t.m.length(bx-ax, by-ay)
	t.perimeter = t.la + t.lb + t.lc
	s := t.perimeter / 3
	if s > 1 {
		s = 1 / s
	}
	g := s * (2 - s)
	t.fit = g * g * g
	return t
}

// Quality is at most 1, and negative for an inverted triangle.
func (t *Triangle[F]) Quality() F {
	return twelveRoots * t.area * t.root * t.fit / (t.perimeter * t.perimeter)
}

// Gradient returns the derivatives of the quality by the position of the corner p, whose metric changes with it: mx and
// my are the derivatives of the metric there.
func (t *Triangle[F]) Gradient(x, y F, a, b *Vertex[F], mx, my *Tensor[F]) (F, F) {
	per := t.perimeter
	s := per / 3
	slope := 6 * (1 - s) / s // F'/F at s, after the division that follows
	if s < 1 {
		slope /= 2 - s
	} else {
		slope /= 2*s - 1
	}
	kappa := slope/3 - 2/per // dQ = Q kappa dP
	q := t.Quality()
	ax, ay, bx, by := a.X-x, a.Y-y, b.X-x, b.Y-y
	cx, cy := bx-ax, by-ay
	wa, wb := 1/t.la, 1/t.lb
	px := -(wa*(t.m.M11*ax+t.m.M12*ay) + wb*(t.m.M11*bx+t.m.M12*by))
	py := -(wa*(t.m.M12*ax+t.m.M22*ay) + wb*(t.m.M12*bx+t.m.M22*by))
	// The metric of the triangle follows a third of that of the corner.
	wa, wb = wa/6, wb/6
	wc := 1 / (6 * t.lc)
	px += wa*mx.product(ax, ay, ax, ay) + wb*mx.product(bx, by, bx, by) + wc*mx.product(cx, cy, cx, cy)
	py += wa*my.product(ax, ay, ax, ay) + wb*my.product(bx, by, bx, by) + wc*my.product(cx, cy, cx, cy)
	half := 1 / (6 * t.root * t.root) // factor of half the trace of M⁻¹dM
	tx := half * (t.m.M22*mx.M11 - 2*t.m.M12*mx.M12 + t.m.M11*mx.M22)
	ty := half * (t.m.M22*my.M11 - 2*t.m.M12*my.M12 + t.m.M11*my.M22)
	rise := twelveRoots * t.root * t.fit / (2 * per * per)
	return rise*(a.Y-b.Y) + q*(kappa*px+tx), rise*(b.X-a.X) + q*(kappa*py+ty)
}

// worst returns the least quality of the triangles around vertex i with that vertex at (x, y): NaN if any is.
func worst[F num.Float](i int, closed bool, x, y F, m *Mesh[F], field *Field[F], v []Vertex[F]) F {
	metric := field.At(x, y)
	first := m.next(i, 0)
	a := first
	least := F(2)
	for k := 1; ; k++ {
		b := m.corner(i, k, first, closed)
		if b < 0 {
			break
		}
		t := Measure(x, y, &metric, &v[a], &v[b])
		if q := t.Quality(); !(q >= least) {
			least = q
		}
		if b == first || least != least {
			break
		}
		a = b
	}
	return least
}

// Shape holds the measures of a triangle.
type Shape[F num.Float] struct{ Quality, Area F }

// EdgeLengths holds an edge's length without and with the metric.
type EdgeLengths[F num.Float] struct{ Length, InMetric F }

// MeasureCell stores the quality and the area of triangle i.
//
//atoll:kernel lanes
func MeasureCell[F num.Float](i int, cells []Cell, v []Vertex[F], out []Shape[F]) {
	c := &cells[i]
	p := &v[c.At[0]]
	var m Tensor[F]
	m.M11, m.M12, m.M22 = p.M11, p.M12, p.M22
	t := Measure(p.X, p.Y, &m, &v[c.At[1]], &v[c.At[2]])
	out[i] = Shape[F]{t.Quality(), t.area}
}

// MeasureEdge stores the length of edge i, and that in the mean of its ends' metrics.
//
//atoll:kernel lanes
func MeasureEdge[F num.Float](i int, edges []Edge, v []Vertex[F], out []EdgeLengths[F]) {
	e := &edges[i]
	a, b := &v[e.A], &v[e.B]
	x, y := b.X-a.X, b.Y-a.Y
	var m Tensor[F]
	m.M11, m.M12, m.M22 = (a.M11+b.M11)/2, (a.M12+b.M12)/2, (a.M22+b.M22)/2
	out[i] = EdgeLengths[F]{num.Sqrt(x*x + y*y), m.length(x, y)}
}

// Cell is a triangle's vertices, counter-clockwise.
type Cell struct{ At [3]int32 }

// Edge is an edge's vertices, that of the lower global id first.
type Edge struct{ A, B int32 }
