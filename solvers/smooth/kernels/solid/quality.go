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
	m           Tensor[F] // mean of the corners'
	ua, ub, uc  Vector[F] // from p to the others
	volume      F
	root        F // √det M
	la, lb, lc  F // lengths of the edges at p
	around, fit F // P and F
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
	t.around = t.la + t.lb + t.lc + t.m.length(minus(t.ub, t.ua)) + t.m.length(minus(t.uc, t.ub)) +
		t.m.length(minus(t.ua, t.uc))
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
