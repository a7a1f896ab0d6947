package solid

import "github.com/atoll-hpc/atoll/solvers/common/num"

// The optimiser is that of L. A. Freitag, M. Jones and P. Plassmann (4th Int. Meshing Roundtable (1995) 47), as in the
// plane: steepest ascent of the least of several smooth functions, steepest in the metric at the vertex.

// MaxWorst is the maximum size of the active set; of more tetrahedra, the first found are kept.
const MaxWorst = 24

// Tetrahedra are active if their quality is above the least one by no more than a share of (least + margin). The
// share is large at first, so that steps are long, and is reduced where not all active qualities can rise by as
// much.
const (
	widest    = 0.2
	narrowest = 1e-5
	narrowing = 0.3
	margin    = 0.1
	stride    = 0.3 // the length of a step, in the metric, along which active tetrahedra should rise by the share
)

// activeSet holds the worst tetrahedra around a vertex at one position: their faces of the cavity, their qualities,
// and the gradients of the qualities along the directions of the vertex's frame, in units of length of the metric.
type activeSet[F num.Float] struct {
	n            int
	faces        [MaxWorst]int32
	q            [MaxWorst]F
	g            [MaxWorst]Vector[F]
	tolerance    F // share of (least + margin) within which tetrahedra are active
	least        F
	limit        int32 // the face of the worst tetrahedron, or of the one at which findWorst stopped
	limitQuality F     // quality of that tetrahedron
}

// choleskyFactor is the factor C of a tensor CC', which is lower triangular. Lengths in the metric are those of C'u,
// and steepest ascent is the same for all factors.
type choleskyFactor[F num.Float] struct{ l11, l21, l22, l31, l32, l33 F }

func choleskyOf[F num.Float](m *Tensor[F]) choleskyFactor[F] {
	var r choleskyFactor[F]
	r.l11 = num.Sqrt(m.M11)
	r.l21, r.l31 = m.M12/r.l11, m.M13/r.l11
	r.l22 = num.Sqrt(m.M22 - r.l21*r.l21)
	r.l32 = (m.M23 - r.l31*r.l21) / r.l22
	r.l33 = num.Sqrt(m.M33 - r.l31*r.l31 - r.l32*r.l32)
	return r
}

// solveLower returns C⁻¹g.
func (r *choleskyFactor[F]) solveLower(g Vector[F]) Vector[F] {
	var x Vector[F]
	x.X = g.X / r.l11
	x.Y = (g.Y - r.l21*x.X) / r.l22
	x.Z = (g.Z - r.l31*x.X - r.l32*x.Y) / r.l33
	return x
}

// solveUpper returns C'⁻¹y.
func (r *choleskyFactor[F]) solveUpper(y Vector[F]) Vector[F] {
	var x Vector[F]
	x.Z = y.Z / r.l33
	x.Y = (y.Y - r.l32*x.Z) / r.l22
	x.X = (y.X - r.l21*x.Y - r.l31*x.Z) / r.l11
	return x
}

// findWorst computes the active tetrahedra around vertex i at a trial position p. It stops at the first one not
// better than floor, and returns false; it starts with the one at which it stopped, or that was the worst,
// previously, which is probably so again.
func (act *activeSet[F]) findWorst(i int, p Vector[F], floor F, m *Mesh[F], field *Field[F], v []Vertex[F]) bool {
	metric := field.At(p)
	act.n, act.least = 0, 2
	first, end := m.Spans[i].FirstFace, m.Spans[i+1].FirstFace
	k := act.limit
	for count := first; count < end; count++ {
		f := &m.CavityFaces[k]
		q := quality(p, &metric, &v[f.A], &v[f.B], &v[f.C])
		if !(q > floor) {
			act.limit, act.limitQuality = k, q
			return false
		}
		if q <= act.least+act.tolerance*(act.least+margin) {
			act.add(k, q)
		}
		if k++; k == end {
			k = first
		}
	}
	act.limitQuality = act.least
	return true
}

// add makes a tetrahedron active, and drops those no longer active if it is the worst.
func (act *activeSet[F]) add(k int32, q F) {
	if q < act.least {
		act.least, act.limit = q, k
		act.dropInactive()
	}
	if act.n == MaxWorst {
		if q > act.least {
			return
		}
		act.n--
	}
	act.faces[act.n], act.q[act.n] = k, q
	act.n++
}

// dropInactive drops the tetrahedra that are no longer active.
func (act *activeSet[F]) dropInactive() {
	n := 0
	for j := 0; j < act.n; j++ {
		if act.q[j] <= act.least+act.tolerance*(act.least+margin) {
			act.faces[n], act.q[n], act.g[n] = act.faces[j], act.q[j], act.g[j]
			n++
		}
	}
	act.n = n
}

// computeGradients computes the gradients of the active tetrahedra, after a step.
func (act *activeSet[F]) computeGradients(s *step[F], r *choleskyFactor[F], m *Mesh[F], field *Field[F],
	v []Vertex[F]) {
	p := s.at(1)
	metric := field.At(p)
	mx, my, mz := field.Gradient(p)
	for j := 0; j < act.n; j++ {
		f := &m.CavityFaces[act.faces[j]]
		t := Measure(p, &metric, &v[f.A], &v[f.B], &v[f.C])
		act.g[j] = r.solveLower(s.along(t.Gradient(&mx, &my, &mz)))
	}
}

// chooseDirection returns the ascent direction, and the rate of ascent. It reduces the active set until all of its
// qualities can rise together by as much as they are above the least one.
func (act *activeSet[F]) chooseDirection() (Vector[F], F) {
	y, rate := act.ascentDirection()
	for !(stride*rate > act.tolerance*(act.least+margin)) && act.tolerance > narrowest {
		act.tolerance *= narrowing
		act.dropInactive()
		y, rate = act.ascentDirection()
	}
	return y, rate
}

// ascentDirection returns the direction in which the least quality rises fastest, of length 1, and how fast: 0 where it
// cannot rise. It is the point of least norm in the hull of the gradients of the worst tetrahedra, of which at most
// three are needed: E. G. Gilbert, D. W. Johnson and S. S. Keerthi (IEEE J. Robotics Automation 4 (1988) 193) add the
// gradient that agrees least with the point so far, and keep those between which the new point lies. Each is nearer
// than the one before, unless 0 is in the hull.
func (act *activeSet[F]) ascentDirection() (Vector[F], F) {
	var d Vector[F]
	var w [3]Vector[F]
	n, best := 0, F(0)
	for iteration := 0; iteration < 2*MaxWorst; iteration++ {
		g := act.g[act.leastRise(d)]
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

// leastRise returns the active tetrahedron whose quality rises least along d; the first if d is 0.
func (act *activeSet[F]) leastRise(d Vector[F]) int {
	k, least := 0, dot(act.g[0], d)
	for j := 1; j < act.n; j++ {
		if r := dot(act.g[j], d); r < least {
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

// minimumRise is the rise of the least quality, as a share of it, below which the optimiser leaves the rest to the next
// sweep.
const minimumRise = 1e-3

// States of climb:
//
//	state      evaluates               next
//	aiming     a new direction         trying
//	trying     a trial length          trying another, returning, aiming from there, or the end
//	returning  the best trial length   aiming from there, or the end
const (
	aiming int32 = iota
	trying
	returning
)

// climb finds the step that takes vertex i to where the least quality around it is best, and returns the share of it to
// take: 1, or 0 where the vertex is best left alone. The least quality never falls.
//
// It tries steps along the direction of steepest ascent, to about where another tetrahedron becomes the worst. If a
// tetrahedron is too bad at a trial, the next length is where the line through its qualities at both ends crosses the
// tangent of the least quality (up to there it is better if its quality is concave), or the vertex of the parabola that
// begins with this tangent. All trials are in one loop, so that the threads of a GPU evaluate qualities together
// although they are in different states.
func climb[F num.Float](i int, s *step[F], p *Params[F], m *Mesh[F], field *Field[F], v []Vertex[F]) F {
	var none, y Vector[F]
	own := v[i].metric()
	inner, _ := s.within(&own, none)
	r := choleskyOf(&inner)
	var act activeSet[F]
	act.tolerance, act.limit = widest, m.Spans[i].FirstFace
	s.d = none
	if !act.findWorst(i, s.at(1), 0, m, field, v) {
		return 0
	}
	base := *s
	origin, metric := s.at(1), own
	var initial, rate, bestLength, bestQuality F
	share, length := F(0), F(1)
	state := aiming
	for try := int32(0); try < p.Climbs; try++ {
		if state == aiming {
			base = *s
			act.computeGradients(s, &r, m, field, v)
			y, rate = act.chooseDirection()
			if !(rate > 1e-9) {
				break
			}
			origin = s.at(1)
			metric = field.At(origin)
			initial, bestQuality, bestLength = act.least, act.least, 0
			length *= 2
			if limit := (1 - initial) / rate; length > limit {
				length = limit
			}
			state = trying
		}
		s.advance(&base, &r, scaledVector(y, length))
		floor := bestQuality
		if state == returning {
			floor = 0
		}
		better := act.findWorst(i, s.at(1), floor, m, field, v)
		if state == trying {
			if better {
				bestLength, bestQuality = length, act.least
			}
			f := &m.CavityFaces[act.limit]
			q := quality(origin, &metric, &v[f.A], &v[f.B], &v[f.C])
			crossing := length * (q - initial) / (q - act.limitQuality + length*rate)
			if (better || bestLength == 0) && !(better && !(bestQuality-initial < 0.9*crossing*rate)) {
				if vertex := length * length * rate / (2 * (initial - act.limitQuality + length*rate)); !(crossing > vertex) {
					crossing = vertex
				}
				if !(crossing > 0.1*length) {
					crossing = 0.1 * length
				}
				if crossing > 0.7*length {
					crossing = 0.7 * length
				}
				if crossing > p.Shortest {
					length = crossing
					continue
				}
			}
			if bestLength == 0 {
				break
			}
			if !better { // the step before was good, and this one is not better
				length, state = bestLength, returning
				continue
			}
		}
		share, state = 1, aiming
		base = *s
		if rise := act.least - initial; rise < p.Gain || rise < minimumRise*(initial+margin) {
			break
		}
	}
	*s = base
	if share != 0 && !upright(i, s.at(1), p.Flat, m, v) {
		return 0
	}
	return share
}

// advance sets the step to base plus a vector in units of length of the metric.
func (s *step[F]) advance(base *step[F], r *choleskyFactor[F], y Vector[F]) {
	x := r.solveUpper(y)
	s.d.X, s.d.Y, s.d.Z = base.d.X+x.X, base.d.Y+x.Y, base.d.Z+x.Z
}

func scaledVector[F num.Float](a Vector[F], by F) Vector[F] {
	a.X, a.Y, a.Z = by*a.X, by*a.Y, by*a.Z
	return a
}
