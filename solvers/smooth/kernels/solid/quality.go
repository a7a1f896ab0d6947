package solid

import "github.com/atoll-hpc/atoll/solvers/common/num"

// The quality of a tetrahedron of volume V, whose edges have the lengths P together in the mean M of its corners'
// metrics, is that of Vasilevskii and Lipnikov (Comp. Math. Math. Phys. 39 (1999) 1468): with m the smaller of P/6 and
// its inverse,
//
//	Q = 6⁴√2 V √det M / P³ · F,  F = [m(2-m)]³,
//
// which is 1 for the regular tetrahedron of edges 1, and negative for an inverted one.
const ideal = 1832.8207768355311 // 6⁴√2

// Tetrahedron holds measures of a tetrahedron with corners p, a, b and c, in the metric.
type Tetrahedron[F num.Float] struct {
	m              Tensor[F] // mean of the corners' metrics
	ua, ub, uc     Vector[F] // from p to the others
	volume         F
	root           F // √det M
	la, lb, lc     F // lengths of the edges at p
	lab, lbc, lca  F // lengths of the other edges
	perimeter, fit F // P and F
}

// Measure computes the tetrahedron of vertices a, b and c with a corner at p with metric m.
func Measure[F num.Float](p Vector[F], m *Tensor[F], a, b, c *Vertex[F]) Tetrahedron[F] {
	var t Tetrahedron[F]
	t.m.M11, t.m.M12 = (m.M11+a.M11+b.M11+c.M11)/4, (m.M12+a.M12+b.M12+c.M12)/4
	t.m.M13, t.m.M22 = (m.M13+a.M13+b.M13+c.M13)/4, (m.M22+a.M22+b.M22+c.M22)/4
	t.m.M23, t.m.M33 = (m.M23+a.M23+b.M23+c.M23)/4, (m.M33+a.M33+b.M33+c.M33)/4
	t.ua, t.ub, t.uc = a.from(p), b.from(p), c.from(p)
	t.volume = dot(t.ua, cross(t.ub, t.uc)) / 6
	t.root = num.Sqrt(t.m.determinant())
	t.la, t.lb, t.lc = t.m.length(t.ua), t.m.length(t.ub), t.m.length(t.uc)
	t.lab, t.lbc = t.m.length(minus(t.ub, t.ua)), t.m.length(minus(t.uc, t.ub))
	t.lca = t.m.length(minus(t.ua, t.uc))
	t.perimeter = t.la + t.lb + t.lc + t.lab + t.lbc + t.lca
	s := t.perimeter / 6
	if s > 1 {
		s = 1 / s
	}
	g := s * (2 - s)
	t.fit = g * g * g
	return t
}

// Quality is at most 1, and negative for an inverted tetrahedron.
func (t *Tetrahedron[F]) Quality() F {
	return ideal * t.volume * t.root * t.fit / (t.perimeter * t.perimeter * t.perimeter)
}

// Gradient returns the derivatives of the quality by the position of the corner p, whose metric changes with it: mx, my
// and mz are the derivatives of the metric there.
func (t *Tetrahedron[F]) Gradient(mx, my, mz *Tensor[F]) Vector[F] {
	per := t.perimeter
	s := per / 6
	slope := 6 * (1 - s) / s // F'/F at s, after the division that follows
	if s < 1 {
		slope /= 2 - s
	} else {
		slope /= 2*s - 1
	}
	kappa := slope/6 - 3/per // dQ = Q kappa dP
	q := t.Quality()
	wa, wb, wc := t.m.times(t.ua), t.m.times(t.ub), t.m.times(t.uc)
	area := cross(minus(t.ub, t.ua), minus(t.uc, t.ua)) // the volume falls by a sixth of it
	rise := ideal * t.root * t.fit / (6 * per * per * per)
	bend := t.qualityByMetric(kappa)
	var g Vector[F]
	g.X = q*(bend.contract(mx)-kappa*(wa.X/t.la+wb.X/t.lb+wc.X/t.lc)) - rise*area.X
	g.Y = q*(bend.contract(my)-kappa*(wa.Y/t.la+wb.Y/t.lb+wc.Y/t.lc)) - rise*area.Y
	g.Z = q*(bend.contract(mz)-kappa*(wa.Z/t.la+wb.Z/t.lb+wc.Z/t.lc)) - rise*area.Z
	return g
}

// qualityByMetric returns the derivative of the quality by the metric at a corner, divided by the quality. The mean
// metric changes by a quarter of the corner's change. A change d of the mean contributes half the trace of M⁻¹d,
// and κ times the change of P, which is ½Σ u'du/|u| over the edges.
func (t *Tetrahedron[F]) qualityByMetric(kappa F) Tensor[F] {
	m := &t.m
	half := 1 / (8 * t.root * t.root)
	var b Tensor[F]
	b.M11, b.M22, b.M33 = half*(m.M22*m.M33-m.M23*m.M23), half*(m.M11*m.M33-m.M13*m.M13), half*(m.M11*m.M22-m.M12*m.M12)
	b.M12, b.M13 = half*(m.M13*m.M23-m.M12*m.M33), half*(m.M12*m.M23-m.M13*m.M22)
	b.M23 = half * (m.M12*m.M13 - m.M11*m.M23)
	kappa /= 8
	b = b.addOuter(t.ua, kappa/t.la)
	b = b.addOuter(t.ub, kappa/t.lb)
	b = b.addOuter(t.uc, kappa/t.lc)
	b = b.addOuter(minus(t.ub, t.ua), kappa/t.lab)
	b = b.addOuter(minus(t.uc, t.ub), kappa/t.lbc)
	b = b.addOuter(minus(t.ua, t.uc), kappa/t.lca)
	return b
}

// addOuter returns the sum with a multiple of uu'.
func (m Tensor[F]) addOuter(u Vector[F], by F) Tensor[F] {
	x, y, z := by*u.X, by*u.Y, by*u.Z
	m.M11, m.M12, m.M13 = m.M11+x*u.X, m.M12+x*u.Y, m.M13+x*u.Z
	m.M22, m.M23, m.M33 = m.M22+y*u.Y, m.M23+y*u.Z, m.M33+z*u.Z
	return m
}

// contract returns the trace of the product with another symmetric tensor.
func (m *Tensor[F]) contract(d *Tensor[F]) F {
	return m.M11*d.M11 + m.M22*d.M22 + m.M33*d.M33 + 2*(m.M12*d.M12+m.M13*d.M13+m.M23*d.M23)
}

// InMetric returns the volume of a tetrahedron as measured by the mean of its corners' metrics.
func InMetric[F num.Float](a, b, c, d *Vertex[F]) F {
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	m := a.metric()
	t := Measure(p, &m, b, c, d)
	return t.volume * t.root
}

// quality returns the quality of the tetrahedron of vertices a, b and c with a corner at p with metric m, as Measure
// does, with fewer operations. It uses the sum of the corners' metrics, 4M, in which lengths are twice and volumes
// eight times as large.
func quality[F num.Float](p Vector[F], m *Tensor[F], a, b, c *Vertex[F]) F {
	m11, m12, m13 := m.M11+a.M11+b.M11+c.M11, m.M12+a.M12+b.M12+c.M12, m.M13+a.M13+b.M13+c.M13
	m22, m23, m33 := m.M22+a.M22+b.M22+c.M22, m.M23+a.M23+b.M23+c.M23, m.M33+a.M33+b.M33+c.M33
	ax, ay, az := a.X-p.X, a.Y-p.Y, a.Z-p.Z
	bx, by, bz := b.X-p.X, b.Y-p.Y, b.Z-p.Z
	cx, cy, cz := c.X-p.X, c.Y-p.Y, c.Z-p.Z
	six := ax*(by*cz-bz*cy) + ay*(bz*cx-bx*cz) + az*(bx*cy-by*cx)
	det := m11*(m22*m33-m23*m23) - m12*(m12*m33-m23*m13) + m13*(m12*m23-m22*m13)
	// M times the edges at p, of which the others are differences.
	fx, fy, fz := m11*ax+m12*ay+m13*az, m12*ax+m22*ay+m23*az, m13*ax+m23*ay+m33*az
	gx, gy, gz := m11*bx+m12*by+m13*bz, m12*bx+m22*by+m23*bz, m13*bx+m23*by+m33*bz
	hx, hy, hz := m11*cx+m12*cy+m13*cz, m12*cx+m22*cy+m23*cz, m13*cx+m23*cy+m33*cz
	perimeter := num.Sqrt(ax*fx+ay*fy+az*fz) + num.Sqrt(bx*gx+by*gy+bz*gz) + num.Sqrt(cx*hx+cy*hy+cz*hz) +
		num.Sqrt((bx-ax)*(gx-fx)+(by-ay)*(gy-fy)+(bz-az)*(gz-fz)) +
		num.Sqrt((cx-bx)*(hx-gx)+(cy-by)*(hy-gy)+(cz-bz)*(hz-gz)) +
		num.Sqrt((ax-cx)*(fx-hx)+(ay-cy)*(fy-hy)+(az-cz)*(fz-hz))
	// F/P³ is the cube of 2-s over 216 for s = P/6 below 1, and of s²(2-s) for its inverse.
	s := perimeter / 12
	fit := 2 - s
	if s > 1 {
		s = 1 / s
		fit = s * s * (2 - s)
	}
	return ideal / (6 * 8 * 216) * six * num.Sqrt(det) * (fit * fit * fit)
}

// lowest is below all qualities.
const lowest = -2

// worst returns the least quality of the tetrahedra around vertex i with that vertex at p: NaN if any is. It returns
// the first quality not better than floor, if any.
func worst[F num.Float](i int, p Vector[F], floor F, m *Mesh[F], field *Field[F], v []Vertex[F]) F {
	metric := field.At(p)
	least := F(2)
	for k := m.Spans[i].FirstFace; k < m.Spans[i+1].FirstFace; k++ {
		s := &m.CavityFaces[k]
		q := quality(p, &metric, &v[s.A], &v[s.B], &v[s.C])
		if !(q > floor) {
			return q
		}
		if q < least {
			least = q
		}
	}
	return least
}

// Cell is a tetrahedron's vertices, ordered for a positive volume.
type Cell struct{ At [4]int32 }

// Edge is an edge's vertices, that of the lower global id first.
type Edge struct{ A, B int32 }

// Shape holds the measures of a tetrahedron.
type Shape[F num.Float] struct{ Quality, Volume F }

// MeasureCell stores the quality and the volume of tetrahedron i.
//
//atoll:kernel
func MeasureCell[F num.Float](i int, cells []Cell, v []Vertex[F], out []Shape[F]) {
	c := &cells[i]
	a := &v[c.At[0]]
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	m := a.metric()
	out[i].Quality = quality(p, &m, &v[c.At[1]], &v[c.At[2]], &v[c.At[3]])
	out[i].Volume = Volume(a, &v[c.At[1]], &v[c.At[2]], &v[c.At[3]])
}

// MeasureEdge stores the length of edge i in the mean of its ends' metrics.
//
//atoll:kernel
func MeasureEdge[F num.Float](i int, edges []Edge, v []Vertex[F], out []F) {
	a, b := &v[edges[i].A], &v[edges[i].B]
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	one, other := a.metric(), b.metric()
	mean := lerp(&one, &other, 0.5)
	out[i] = mean.length(b.from(p))
}

// MeasureFace stores the area of face i of the boundary.
//
//atoll:kernel
func MeasureFace[F num.Float](i int, faces []Face, v []Vertex[F], out []F) {
	a := &v[faces[i].A]
	var p Vector[F]
	p.X, p.Y, p.Z = a.X, a.Y, a.Z
	n := cross(v[faces[i].B].from(p), v[faces[i].C].from(p))
	out[i] = num.Sqrt(dot(n, n)) / 2
}
