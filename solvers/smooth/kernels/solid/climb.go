package solid

import "github.com/atoll-hpc/atoll/solvers/common/num"

// The optimiser is that of L. A. Freitag, M. Jones and P. Plassmann (4th Int. Meshing Roundtable (1995) 47), as in the
// plane: steepest ascent of the least of several smooth functions, steepest in the metric at the vertex.

// MaxWorst is how many tetrahedra the optimiser takes for the worst at a place: of more, those that it came upon first.
const MaxWorst = 24

// Tetrahedra whose quality is above the least by no more than a share of it, and of margin, count among the worst: at
// first a large one, so that steps are long, and a smaller one where all of these cannot rise by as much.
const (
	widest    = 0.2
	narrowest = 1e-5
	narrowing = 0.3
	margin    = 0.1
	stride    = 0.3 // the length of a step, in the metric, that a share is held against
)

// hill is the worst tetrahedra around a vertex at one place: which sides of the cavity they have, their qualities, and
// the gradients of these, along the directions of the vertex's frame and in units of length of the metric.
type hill[F num.Float] struct {
	n     int
	at    [MaxWorst]int32
	q     [MaxWorst]F
	g     [MaxWorst]Vector[F]
	near  F // the share
	least F
	limit int32 // the side of the tetrahedron that is the worst, or too bad for survey
	low   F     // and its quality
}

// root is the factor C of a tensor CC', which is lower triangular. Lengths in the metric are those of C'u, and steepest
// ascent is the same for all factors.
type root[F num.Float] struct{ l11, l21, l22, l31, l32, l33 F }

func rootOf[F num.Float](m *Tensor[F]) root[F] {
	var r root[F]
	r.l11 = num.Sqrt(m.M11)
	r.l21, r.l31 = m.M12/r.l11, m.M13/r.l11
	r.l22 = num.Sqrt(m.M22 - r.l21*r.l21)
	r.l32 = (m.M23 - r.l31*r.l21) / r.l22
	r.l33 = num.Sqrt(m.M33 - r.l31*r.l31 - r.l32*r.l32)
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

// survey finds the worst tetrahedra around vertex i with that vertex at p. It ends at the first one that is no better
// than floor, and returns false; it begins with the one that was the worst or too bad before, which likely is so again.
func (h *hill[F]) survey(i int, p Vector[F], floor F, m *Mesh[F], field *Field[F], v []Vertex[F]) bool {
	at := field.At(p)
	h.n, h.least = 0, 2
	first, end := m.Spans[i].Side, m.Spans[i+1].Side
	k := h.limit
	for turn := first; turn < end; turn++ {
		f := &m.Sides[k]
		q := quality(p, &at, &v[f.A], &v[f.B], &v[f.C])
		if !(q > floor) {
			h.limit, h.low = k, q
			return false
		}
		if q <= h.least+h.near*(h.least+margin) {
			h.add(k, q)
		}
		if k++; k == end {
			k = first
		}
	}
	h.low = h.least
	return true
}

// add takes a tetrahedron among the worst, and drops those that are not near it if it is the very worst.
func (h *hill[F]) add(k int32, q F) {
	if q < h.least {
		h.least, h.limit = q, k
		h.narrow()
	}
	if h.n == MaxWorst {
		if q > h.least {
			return
		}
		h.n--
	}
	h.at[h.n], h.q[h.n] = k, q
	h.n++
}

// narrow drops the tetrahedra that are no longer among the worst.
func (h *hill[F]) narrow() {
	n := 0
	for j := 0; j < h.n; j++ {
		if h.q[j] <= h.least+h.near*(h.least+margin) {
			h.at[n], h.q[n], h.g[n] = h.at[j], h.q[j], h.g[j]
			n++
		}
	}
	h.n = n
}

// lean finds the gradients of the worst tetrahedra, after a step.
func (h *hill[F]) lean(s *step[F], r *root[F], m *Mesh[F], field *Field[F], v []Vertex[F]) {
	p := s.at(1)
	at := field.At(p)
	mx, my, mz := field.Slope(p)
	for j := 0; j < h.n; j++ {
		f := &m.Sides[h.at[j]]
		t := Measure(p, &at, &v[f.A], &v[f.B], &v[f.C])
		h.g[j] = r.slope(s.along(t.Gradient(&mx, &my, &mz)))
	}
}

// aim returns the direction of up among as many of the worst as can rise together by as much as they lie above the
// least.
func (h *hill[F]) aim() (Vector[F], F) {
	y, rate := h.up()
	for !(stride*rate > h.near*(h.least+margin)) && h.near > narrowest {
		h.near *= narrowing
		h.narrow()
		y, rate = h.up()
	}
	return y, rate
}

// up returns the direction in which the least quality rises fastest, of length 1, and how fast: 0 where it cannot rise.
// It is the point of least norm in the hull of the gradients of the worst tetrahedra, of which at most three are
// needed: E. G. Gilbert, D. W. Johnson and S. S. Keerthi (IEEE J. Robotics Automation 4 (1988) 193) add the gradient
// that agrees least with the point so far, and keep those between which the new point lies. Each is nearer than the
// one before, unless 0 is in the hull.
func (h *hill[F]) up() (Vector[F], F) {
	var d Vector[F]
	var w [3]Vector[F]
	n, best := 0, F(0)
	for turn := 0; turn < 2*MaxWorst; turn++ {
		g := h.g[h.lowest(d)]
		if n > 0 && dot(g, d) >= best*0.999 {
			rate := num.Sqrt(best)
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

// lowest is the tetrahedron, of the worst, whose quality rises least along d; the first of them if d is 0.
func (h *hill[F]) lowest(d Vector[F]) int {
	k, least := 0, dot(h.g[0], d)
	for j := 1; j < h.n; j++ {
		if r := dot(h.g[j], d); r < least {
			k, least = j, r
		}
	}
	return k
}

// onSegment returns the point of least norm between p and a, and whether neither end is as near.
func onSegment[F num.Float](p, a Vector[F]) (Vector[F], bool) {
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
func onTriangle[F num.Float](p, a, b Vector[F]) (Vector[F], bool) {
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

// enough is the rise of the least quality, as a share of it, below which the optimiser leaves the rest to the next
// sweep.
const enough = 1e-3

// climb finds the step that takes vertex i to where the least quality around it is best, and returns the share of it
// to take: 1, or 0 where the vertex is best left alone. The least quality never falls.
//
// It goes along the direction of steepest ascent, beginning with a try, to about where another tetrahedron becomes the
// worst. Where one is too bad at a try, the next is where a line between its qualities here and there meets that of the
// least, before which it is better if it is concave; or where a parabola has its top that begins as the least does. All
// tries are in one loop, so that the threads of a GPU survey together, wherever each of them is.
func climb[F num.Float](i int, s *step[F], p *Params[F], m *Mesh[F], field *Field[F], v []Vertex[F]) F {
	var none, y Vector[F]
	own := v[i].metric()
	inner, _ := s.within(&own, none)
	r := rootOf(&inner)
	var h hill[F]
	h.near, h.limit = widest, m.Spans[i].Side
	s.d = none
	if !h.survey(i, s.at(1), 0, m, field, v) {
		return 0
	}
	begun := *s
	here, at := s.at(1), own
	var was, rate, longest, gained F
	done, far := F(0), F(1)
	aim, back := true, false // a direction is to be found; the place is that of a try that was good
	for try := int32(0); try < p.Climbs; try++ {
		if aim {
			begun = *s
			h.lean(s, &r, m, field, v)
			y, rate = h.aim()
			if !(rate > 1e-9) {
				break
			}
			here = s.at(1)
			at = field.At(here)
			was, gained, longest = h.least, h.least, 0
			far *= 2
			if most := (1 - was) / rate; far > most {
				far = most
			}
			aim = false
		}
		s.advance(&begun, &r, times(y, far))
		floor := gained
		if back {
			floor = 0
		}
		better := h.survey(i, s.at(1), floor, m, field, v)
		if !back {
			if better {
				longest, gained = far, h.least
			}
			f := &m.Sides[h.limit]
			q := quality(here, &at, &v[f.A], &v[f.B], &v[f.C])
			meet := far * (q - was) / (q - h.low + far*rate)
			if (better || longest == 0) && !(better && !(gained-was < 0.9*meet*rate)) {
				if top := far * far * rate / (2 * (was - h.low + far*rate)); !(meet > top) {
					meet = top
				}
				if !(meet > 0.1*far) {
					meet = 0.1 * far
				}
				if meet > 0.7*far {
					meet = 0.7 * far
				}
				if meet > p.Shortest {
					far = meet
					continue
				}
			}
			if longest == 0 {
				break
			}
			if !better { // the try before was good, and this one is no better
				far, back = longest, true
				continue
			}
		}
		done, aim, back = 1, true, false
		begun = *s
		if rise := h.least - was; rise < p.Gain || rise < enough*(was+margin) {
			break
		}
	}
	*s = begun
	if done != 0 && !upright(i, s.at(1), p.Flat, m, v) {
		return 0
	}
	return done
}

// advance makes the step base and a vector in units of length of the metric.
func (s *step[F]) advance(base *step[F], r *root[F], y Vector[F]) {
	x := r.move(y)
	s.d.X, s.d.Y, s.d.Z = base.d.X+x.X, base.d.Y+x.Y, base.d.Z+x.Z
}

func times[F num.Float](a Vector[F], by F) Vector[F] {
	a.X, a.Y, a.Z = by*a.X, by*a.Y, by*a.Z
	return a
}
