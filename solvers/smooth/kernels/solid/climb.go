package solid

// The optimiser is that of L. A. Freitag, M. Jones and P. Plassmann (4th Int. Meshing Roundtable (1995) 47), as in the
// plane: steepest ascent of the least of several smooth functions, steepest in the metric at the vertex.

// MaxSides is how many tetrahedra may meet at a vertex that the optimiser moves.
const MaxSides = 96

func crowded[F Float](i int, m *Mesh[F]) bool { return m.Spans[i+1].Side-m.Spans[i].Side > MaxSides }

// hill is what the tetrahedra around a vertex say at one place: their qualities and the gradients of these, along the
// directions of the vertex's frame and in units of length of the metric.
type hill[F Float] struct {
	n     int
	q     [MaxSides]F
	g     [MaxSides]Vector[F]
	least F
}

// root is the factor C of a tensor CC', which is lower triangular. Lengths in the metric are those of C'u, and steepest
// ascent is the same for all factors.
type root[F Float] struct{ l11, l21, l22, l31, l32, l33 F }

func rootOf[F Float](m *Tensor[F]) root[F] {
	var r root[F]
	r.l11 = sqrt(m.M11)
	r.l21, r.l31 = m.M12/r.l11, m.M13/r.l11
	r.l22 = sqrt(m.M22 - r.l21*r.l21)
	r.l32 = (m.M23 - r.l31*r.l21) / r.l22
	r.l33 = sqrt(m.M33 - r.l31*r.l31 - r.l32*r.l32)
	return r
}

// slope is C⁻¹g.
func (r *root[F]) slope(g Vector[F]) Vector[F] {
	var x Vector[F]
	x.X = g.X / r.l11
	x.Y = (g.Y - r.l21*x.X) / r.l22
	x.Z = (g.Z - r.l31*x.X - r.l32*x.Y) / r.l33
	return x
}

// move is C'⁻¹y.
func (r *root[F]) move(y Vector[F]) Vector[F] {
	var x Vector[F]
	x.Z = y.Z / r.l33
	x.Y = (y.Y - r.l32*x.Z) / r.l22
	x.X = (y.X - r.l21*x.Y - r.l31*x.Z) / r.l11
	return x
}

// look surveys the tetrahedra around vertex i after a step.
func (h *hill[F]) look(i int, s *step[F], r *root[F], m *Mesh[F], field *Field[F], v []Vertex[F]) {
	p := s.at(1)
	at := field.At(p)
	mx, my, mz := field.Slope(p)
	h.n = 0
	h.least = 2
	for k := m.Spans[i].Side; k < m.Spans[i+1].Side; k++ {
		f := &m.Sides[k]
		t := Measure(p, &at, &v[f.A], &v[f.B], &v[f.C])
		q := t.Quality()
		h.q[h.n] = q
		h.g[h.n] = r.slope(s.along(t.Gradient(&mx, &my, &mz)))
		if !(q >= h.least) {
			h.least = q
		}
		h.n++
	}
}

// active tells whether tetrahedron k is among the worst.
func (h *hill[F]) active(k int) bool { return h.q[k]-h.least <= 3e-5*h.least }

// up returns the direction in which the least quality rises fastest, of length 1, and how fast: 0 where it cannot rise.
// It is the point of least norm in the hull of the gradients of the worst tetrahedra, of which at most three are
// needed: E. G. Gilbert, D. W. Johnson and S. S. Keerthi (IEEE J. Robotics Automation 4 (1988) 193) add the gradient
// that agrees least with the point so far, and keep those between which the new point lies. Each is nearer than the
// one before, unless 0 is in the hull.
func (h *hill[F]) up() (Vector[F], F) {
	var d Vector[F]
	var w [3]Vector[F]
	n, best := 0, F(0)
	for turn := 0; turn < 2*MaxSides; turn++ {
		k := h.lowest(d)
		if k < 0 { // qualities are negative, or none
			break
		}
		g := h.g[k]
		if n > 0 && dot(g, d) >= best*0.999 {
			rate := sqrt(best)
			d.X, d.Y, d.Z = d.X/rate, d.Y/rate, d.Z/rate
			return d, rate
		}
		near, a, b := g, -1, -1
		least := dot(g, g)
		for i := 0; i < n; i++ {
			if x, ok := onSegment(g, w[i]); ok && dot(x, x) < least {
				near, least, a, b = x, dot(x, x), i, -1
			}
			for j := 0; j < i; j++ {
				if x, ok := onTriangle(g, w[i], w[j]); ok && dot(x, x) < least {
					near, least, a, b = x, dot(x, x), i, j
				}
			}
		}
		if !(least > 0) || n > 0 && !(least < best) {
			break
		}
		// b is less than a, so that none is overwritten before it is kept.
		n = 0
		if b >= 0 {
			w[n] = w[b]
			n++
		}
		if a >= 0 {
			w[n] = w[a]
			n++
		}
		w[n] = g
		n++
		d, best = near, least
	}
	return d, 0
}

// lowest is the active tetrahedron whose quality rises least along d; the first of them if d is 0,
// and -1 if there is none.
func (h *hill[F]) lowest(d Vector[F]) int {
	k, least := -1, F(0)
	for j := 0; j < h.n; j++ {
		if h.active(j) {
			if r := dot(h.g[j], d); k < 0 || r < least {
				k, least = j, r
			}
		}
	}
	return k
}

// onSegment returns the point of least norm between p and a, and whether neither end is as near.
func onSegment[F Float](p, a Vector[F]) (Vector[F], bool) {
	e := minus(a, p)
	square, share := dot(e, e), -dot(p, e)
	if !(share > 0 && share < square) {
		return p, false
	}
	share /= square
	p.X, p.Y, p.Z = p.X+share*e.X, p.Y+share*e.Y, p.Z+share*e.Z
	return p, true
}

// onTriangle returns the point of least norm in the plane of p, a and b, and whether it lies within the triangle.
func onTriangle[F Float](p, a, b Vector[F]) (Vector[F], bool) {
	e, f := minus(a, p), minus(b, p)
	ee, ef, ff, pe, pf := dot(e, e), dot(e, f), dot(f, f), dot(p, e), dot(p, f)
	det := ee*ff - ef*ef
	s, t := ef*pf-ff*pe, ef*pe-ee*pf
	if !(det > 1e-12*ee*ff && s > 0 && t > 0 && s+t < det) {
		return p, false
	}
	s, t = s/det, t/det
	p.X, p.Y, p.Z = p.X+s*e.X+t*f.X, p.Y+s*e.Y+t*f.Y, p.Z+s*e.Z+t*f.Z
	return p, true
}

// first returns how far along y to go at first: to where another tetrahedron is expected to become the worst, else half
// way to where one becomes flat, and never beyond 0.99 of that; and how fast the least quality rises.
func (h *hill[F]) first(i int, s *step[F], r *root[F], y Vector[F], m *Mesh[F], v []Vertex[F]) (F, F) {
	p, slope := s.at(1), F(-1)
	ahead := *s
	ahead.advance(s, r, y)
	u := minus(ahead.at(1), p)
	for k := 0; k < h.n; k++ {
		if rise := dot(h.g[k], y); h.active(k) && (slope < 0 || rise < slope) {
			slope = rise
		}
	}
	flat, meet := F(-1), F(-1)
	for k := 0; k < h.n; k++ {
		f := &m.Sides[int(m.Spans[i].Side)+k]
		a, b, c := v[f.A].from(p), v[f.B].from(p), v[f.C].from(p)
		room, loss := dot(a, cross(b, c)), dot(u, cross(minus(b, a), minus(c, a)))
		if loss > 0 && (flat < 0 || room < flat*loss) {
			flat = room / loss
		}
		rise, gap := dot(h.g[k], y), h.q[k]-h.least
		if !h.active(k) && rise < slope && (meet < 0 || gap < meet*(slope-rise)) {
			meet = gap / (slope - rise)
		}
	}
	if meet < 0 {
		meet = 0.5 * flat
	}
	if flat >= 0 && meet > 0.99*flat {
		meet = 0.99 * flat
	}
	return meet, slope
}

// climb finds the step that takes vertex i to where the least quality around it is best, and returns the share of it
// to take: 1, or 0 where the vertex is best left alone. The least quality never falls.
func climb[F Float](i int, s *step[F], p *Params[F], m *Mesh[F], field *Field[F], v []Vertex[F]) F {
	var none Vector[F]
	own := v[i].metric()
	inner, _ := s.within(&own, none)
	r := rootOf(&inner)
	var h hill[F]
	s.d = none
	done := F(0)
	for climbs := int32(0); climbs < p.Climbs; climbs++ {
		h.look(i, s, &r, m, field, v)
		y, rate := h.up()
		if !(rate > 1e-9) {
			break
		}
		far, slope := h.first(i, s, &r, y, m, v)
		base := *s
		longer, gained := F(0), h.least
		for far > p.Shortest {
			s.advance(&base, &r, times(y, far))
			q := F(-1)
			if upright(i, s.at(1), p.Flat, m, v) {
				q = worst(i, s.at(1), m, field, v)
			}
			if q-h.least >= 0.9*far*slope {
				longer, gained = far, q
				break
			}
			if longer > 0 && gained >= q { // the step before was good, and this one is no better
				break
			}
			if q > gained {
				longer, gained = far, q
			}
			far /= 2
		}
		*s = base
		if longer == 0 {
			break
		}
		s.advance(&base, &r, times(y, longer))
		done = 1
		if gained-h.least < p.Gain {
			break
		}
	}
	return done
}

// advance makes the step base and a vector in units of length of the metric.
func (s *step[F]) advance(base *step[F], r *root[F], y Vector[F]) {
	x := r.move(y)
	s.d.X, s.d.Y, s.d.Z = base.d.X+x.X, base.d.Y+x.Y, base.d.Z+x.Z
}

func times[F Float](a Vector[F], by F) Vector[F] {
	a.X, a.Y, a.Z = by*a.X, by*a.Y, by*a.Z
	return a
}
