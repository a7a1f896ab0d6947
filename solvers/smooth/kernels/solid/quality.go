package solid

// The quality of a tetrahedron of volume V, whose edges have the lengths P together in the mean M of its corners' metrics,
// is that of Vasilevskii and Lipnikov (Comp. Math. Math. Phys. 39 (1999) 1468): with m the smaller of P/6 and its inverse,
//
//	Q = 6⁴√2 V √det M / P³ · F,  F = [m(2-m)]³,
//
// which is 1 for the regular tetrahedron of edges 1, and negative for one that is turned over.
const ideal = 1832.8207768355311 // 6⁴√2

// Tetrahedron is one with corners p, a, b and c, in the metric.
type Tetrahedron[F Float] struct {
	m             Tensor[F] // mean of the corners'
	ua, ub, uc    Vector[F] // from p to the others
	volume        F
	root          F // √det M
	la, lb, lc    F // lengths of the edges at p
	lab, lbc, lca F // and of the others
	around, fit   F // P and F
}

// Measure looks at the tetrahedron of vertices a, b and c with a corner at p, where the metric is m.
func Measure[F Float](p Vector[F], m *Tensor[F], a, b, c *Vertex[F]) Tetrahedron[F] {
	var t Tetrahedron[F]
	t.m.M11, t.m.M12 = (m.M11+a.M11+b.M11+c.M11)/4, (m.M12+a.M12+b.M12+c.M12)/4
	t.m.M13, t.m.M22 = (m.M13+a.M13+b.M13+c.M13)/4, (m.M22+a.M22+b.M22+c.M22)/4
	t.m.M23, t.m.M33 = (m.M23+a.M23+b.M23+c.M23)/4, (m.M33+a.M33+b.M33+c.M33)/4
	t.ua, t.ub, t.uc = a.from(p), b.from(p), c.from(p)
	t.volume = dot(t.ua, cross(t.ub, t.uc)) / 6
	t.root = sqrt(t.m.determinant())
	t.la, t.lb, t.lc = t.m.length(t.ua), t.m.length(t.ub), t.m.length(t.uc)
	t.lab, t.lbc = t.m.length(minus(t.ub, t.ua)), t.m.length(minus(t.uc, t.ub))
	t.lca = t.m.length(minus(t.ua, t.uc))
	t.around = t.la + t.lb + t.lc + t.lab + t.lbc + t.lca
	s := t.around / 6
	if s > 1 {
		s = 1 / s
	}
	g := s * (2 - s)
	t.fit = g * g * g
	return t
}

// Quality is 1 for the best, and negative for a tetrahedron that is turned over.
func (t *Tetrahedron[F]) Quality() F {
	return ideal * t.volume * t.root * t.fit / (t.around * t.around * t.around)
}

// Gradient returns the derivatives of the quality by the place of the corner p, whose metric changes with it: mx, my
// and mz are the derivatives of the metric there.
func (t *Tetrahedron[F]) Gradient(mx, my, mz *Tensor[F]) Vector[F] {
	per := t.around
	s := per / 6
	slope := 6 * (1 - s) / s // F'/F at s, once divided
	if s < 1 {
		slope /= 2 - s
	} else {
		slope /= 2*s - 1
	}
	kappa := slope/6 - 3/per // of dQ = Q kappa dP
	q := t.Quality()
	wa, wb, wc := t.m.times(t.ua), t.m.times(t.ub), t.m.times(t.uc)
	area := cross(minus(t.ub, t.ua), minus(t.uc, t.ua)) // the volume falls by a sixth of it
	rise := ideal * t.root * t.fit / (6 * per * per * per)
	var g Vector[F]
	g.X = q*(t.bend(mx, kappa)-kappa*(wa.X/t.la+wb.X/t.lb+wc.X/t.lc)) - rise*area.X
	g.Y = q*(t.bend(my, kappa)-kappa*(wa.Y/t.la+wb.Y/t.lb+wc.Y/t.lc)) - rise*area.Y
	g.Z = q*(t.bend(mz, kappa)-kappa*(wa.Z/t.la+wb.Z/t.lb+wc.Z/t.lc)) - rise*area.Z
	return g
}

// bend is what a change d of the metric at a corner, of which the tetrahedron's follows a quarter, adds to dQ/Q: half
// the trace of M⁻¹d, and κ times the change of P.
func (t *Tetrahedron[F]) bend(d *Tensor[F], kappa F) F {
	m := &t.m
	trace := (m.M22*m.M33-m.M23*m.M23)*d.M11 + (m.M11*m.M33-m.M13*m.M13)*d.M22 + (m.M11*m.M22-m.M12*m.M12)*d.M33 +
		2*((m.M13*m.M23-m.M12*m.M33)*d.M12+(m.M12*m.M23-m.M13*m.M22)*d.M13+(m.M12*m.M13-m.M11*m.M23)*d.M23)
	ab, bc, ca := minus(t.ub, t.ua), minus(t.uc, t.ub), minus(t.ua, t.uc)
	edges := d.product(t.ua, t.ua)/t.la + d.product(t.ub, t.ub)/t.lb + d.product(t.uc, t.uc)/t.lc +
		d.product(ab, ab)/t.lab + d.product(bc, bc)/t.lbc + d.product(ca, ca)/t.lca
	return trace/(8*t.root*t.root) + kappa*edges/8
}

// InMetric is the volume of a tetrahedron in the mean of its corners' metrics.
func InMetric[F Float](a, b, c, d *Vertex[F]) F {
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	m := a.metric()
	t := Measure(p, &m, b, c, d)
	return t.volume * t.root
}

// worst returns the least quality of the tetrahedra around vertex i with that vertex at p: NaN if one is none.
func worst[F Float](i int, p Vector[F], m *Mesh[F], field *Field[F], v []Vertex[F]) F {
	at := field.At(p)
	least := F(2)
	for k := m.Spans[i].Side; k < m.Spans[i+1].Side; k++ {
		s := &m.Sides[k]
		t := Measure(p, &at, &v[s.A], &v[s.B], &v[s.C])
		q := t.Quality()
		if !(q >= least) {
			least = q
		}
		if least != least {
			break
		}
	}
	return least
}

// Cell is a tetrahedron's vertices, so that its volume is positive.
type Cell struct{ At [4]int32 }

// Edge is an edge's vertices, that of the lower global id first.
type Edge struct{ A, B int32 }

// Shape is what a tetrahedron is like.
type Shape[F Float] struct{ Quality, Volume F }

// MeasureCell stores the quality and the volume of tetrahedron i.
//
//atoll:kernel
func MeasureCell[F Float](i int, cells []Cell, v []Vertex[F], out []Shape[F]) {
	c := &cells[i]
	a := &v[c.At[0]]
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	m := a.metric()
	t := Measure(p, &m, &v[c.At[1]], &v[c.At[2]], &v[c.At[3]])
	out[i].Quality, out[i].Volume = t.Quality(), t.volume
}

// MeasureEdge stores the length of edge i in the mean of its ends' metrics.
//
//atoll:kernel
func MeasureEdge[F Float](i int, edges []Edge, v []Vertex[F], out []F) {
	a, b := &v[edges[i].A], &v[edges[i].B]
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	one, other := a.metric(), b.metric()
	mean := between(&one, &other, 0.5)
	out[i] = mean.length(b.from(p))
}

// MeasureSide stores the area of side i of the boundary.
//
//atoll:kernel
func MeasureSide[F Float](i int, sides []Side, v []Vertex[F], out []F) {
	a := &v[sides[i].A]
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	n := cross(v[sides[i].B].from(p), v[sides[i].C].from(p))
	out[i] = sqrt(dot(n, n)) / 2
}
