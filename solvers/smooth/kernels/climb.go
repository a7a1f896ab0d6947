package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// The optimiser is that of L. A. Freitag, M. Jones and P. Plassmann (4th Int. Meshing Roundtable (1995) 47): steepest
// ascent of the least of several smooth functions. Directions are steepest in the metric at the vertex rather than in
// the plane, where stretched cavities need many more steps and end far below their best.

// activeSet holds the qualities of all triangles around a vertex at one position, and their gradients in the frame
// of the metric. On a rail gx is the derivative along it, and gy is 0. The worst triangles are active: the least
// quality rises where the qualities of all of these do.
type activeSet[F num.Float] struct {
	n      int // number of triangles; with more than MaxDegree the set is incomplete
	q      [MaxDegree]F
	gx, gy [MaxDegree]F
	least  F
	area   [MaxDegree]F // doubled
	lx, ly [MaxDegree]F // and their gradients, which are constant
}

// frame is the inverse of the root of a metric, L = M^(-1/2), which takes vectors of its frame to the plane.
type frame[F num.Float] struct {
	l      Tensor[F]
	tx, ty F // the step along a rail that the metric gives length 1
}

// newFrame uses √M = (M + √det M)/√(tr M + 2√det M).
func newFrame[F num.Float](m *Vertex[F], s *step[F]) frame[F] {
	var f frame[F]
	root := num.Sqrt(m.M11*m.M22 - m.M12*m.M12)
	scale := 1 / (root * num.Sqrt(m.M11+m.M22+2*root))
	f.l.M11, f.l.M12, f.l.M22 = scale*(m.M22+root), -scale*m.M12, scale*(m.M11+root)
	if s.slides {
		t := &s.rail
		metricLength := num.Sqrt(t.Tx*(m.M11*t.Tx+2*m.M12*t.Ty) + t.Ty*m.M22*t.Ty)
		f.tx, f.ty = t.Tx/metricLength, t.Ty/metricLength
	}
	return f
}

// evaluate computes the set for vertex i at (x, y).
func (act *activeSet[F]) evaluate(i int, closed bool, x, y F, f *frame[F], m *Mesh[F], field *Field[F], v []Vertex[F]) {
	metric := field.At(x, y)
	mx, my := field.Gradient(x, y)
	first := m.next(i, 0)
	a := first
	act.n = 0
	act.least = 2
	for k := 1; ; k++ {
		b := m.corner(i, k, first, closed)
		if b < 0 {
			break
		}
		t := Measure(x, y, &metric, &v[a], &v[b])
		q := t.Quality()
		gx, gy := t.Gradient(x, y, &v[a], &v[b], &mx, &my)
		lx, ly := v[a].Y-v[b].Y, v[b].X-v[a].X
		if act.n >= MaxDegree {
			act.n++
			break
		}
		if closed {
			act.gx[act.n], act.gy[act.n] = f.l.M11*gx+f.l.M12*gy, f.l.M12*gx+f.l.M22*gy
			act.lx[act.n], act.ly[act.n] = f.l.M11*lx+f.l.M12*ly, f.l.M12*lx+f.l.M22*ly
		} else {
			act.gx[act.n], act.gy[act.n] = f.tx*gx+f.ty*gy, 0
			act.lx[act.n], act.ly[act.n] = f.tx*lx+f.ty*ly, 0
		}
		act.q[act.n], act.area[act.n] = q, 2*t.area
		if !(q >= act.least) {
			act.least = q
		}
		act.n++
		if b == first {
			break
		}
		a = b
	}
}

// isActive reports whether triangle k is among the worst, up to a relative tolerance.
func (act *activeSet[F]) isActive(k int) bool { return act.q[k]-act.least <= 3e-5*act.least }

// ascentDirection returns the direction in which the least quality rises fastest, of length 1, and how fast: 0 where it
// cannot rise. It is the point of least norm in the hull of the gradients of the worst triangles. That is one of them
// or lies between two; in the plane no more are needed.
func (act *activeSet[F]) ascentDirection() (F, F, F) {
	bestX, bestY, best := F(0), F(0), F(-1)
	for i := 0; i < act.n; i++ {
		if !act.isActive(i) {
			continue
		}
		for j := 0; j <= i; j++ {
			if !act.isActive(j) {
				continue
			}
			x, y := act.gx[i], act.gy[i]
			if j < i {
				ex, ey := act.gx[j]-x, act.gy[j]-y
				square := ex*ex + ey*ey
				share := -(x*ex + y*ey)
				if !(share > 0 && share < square) {
					continue // an end is nearer, or both ends are the same point
				}
				share /= square
				x, y = x+share*ex, y+share*ey
			}
			norm := x*x + y*y
			if (best < 0 || norm < best) && act.isLeastNorm(x, y, norm) {
				bestX, bestY, best = x, y, norm
			}
		}
	}
	if !(best > 0) {
		return 0, 0, 0
	}
	rate := num.Sqrt(best)
	return bestX / rate, bestY / rate, rate
}

// isLeastNorm reports whether all active triangles improve along (x, y) at the rate of its square, up to round-off.
// Only the point of minimum norm in the hull satisfies this; none does if 0 is in the hull.
func (act *activeSet[F]) isLeastNorm(x, y, square F) bool {
	for k := 0; k < act.n; k++ {
		if act.isActive(k) && act.gx[k]*x+act.gy[k]*y < square*0.999 {
			return false
		}
	}
	return true
}

// firstStep returns the length of the first trial step along (sx, sy), and the rate at which the least quality
// rises at its start. The step leads to where another triangle is expected to become the worst, or if there is
// none, half way to where one becomes flat, and never beyond 0.99 of that.
func (act *activeSet[F]) firstStep(sx, sy F) (F, F) {
	slope := F(-1)
	for k := 0; k < act.n; k++ {
		if r := act.gx[k]*sx + act.gy[k]*sy; act.isActive(k) && (slope < 0 || r < slope) {
			slope = r
		}
	}
	flat, crossing := F(-1), F(-1)
	for k := 0; k < act.n; k++ {
		if loss := -(act.lx[k]*sx + act.ly[k]*sy); loss > 0 && (flat < 0 || act.area[k] < flat*loss) {
			flat = act.area[k] / loss
		}
		r := act.gx[k]*sx + act.gy[k]*sy
		if gap := act.q[k] - act.least; !act.isActive(k) && r < slope && (crossing < 0 || gap < crossing*(slope-r)) {
			crossing = gap / (slope - r)
		}
	}
	if crossing < 0 {
		crossing = 0.5 * flat
	}
	if flat >= 0 && crossing > 0.99*flat {
		crossing = 0.99 * flat
	}
	return crossing, slope
}

// climb finds the step that takes vertex i to where the least quality around it is best, and returns the share of it
// to take: 1, or 0 where the vertex is best left alone, or has too many triangles. The least quality never falls.
func climb[F num.Float](i int, s *step[F], p *Params[F], m *Mesh[F], field *Field[F], v []Vertex[F]) F {
	closed := !s.slides
	f := newFrame(&v[i], s)
	var act activeSet[F]
	s.dx, s.dy, s.ds = 0, 0, 0
	share := F(0)
	for climbs := int32(0); climbs < p.Climbs; climbs++ {
		x, y := s.at(1)
		act.evaluate(i, closed, x, y, &f, m, field, v)
		if act.n > MaxDegree {
			break
		}
		sx, sy, rate := act.ascentDirection()
		if !(rate > 1e-9) {
			break
		}
		length, slope := act.firstStep(sx, sy)
		base := *s
		bestLength, bestQuality := F(0), act.least
		for length > p.Shortest {
			s.advance(&base, &f, length*sx, length*sy)
			x, y = s.at(1)
			q := F(-1)
			if upright(i, closed, x, y, p.Flat, m, v) {
				q = worst(i, closed, x, y, m, field, v)
			}
			if q-act.least >= 0.9*length*slope {
				bestLength, bestQuality = length, q
				break
			}
			if bestLength > 0 && bestQuality >= q { // the longer step was good, and this one is no better
				break
			}
			if q > bestQuality {
				bestLength, bestQuality = length, q
			}
			length /= 2
		}
		*s = base
		if bestLength == 0 {
			break
		}
		s.advance(&base, &f, bestLength*sx, bestLength*sy)
		share = 1
		if bestQuality-act.least < p.Gain {
			break
		}
	}
	return share
}

// advance sets the step to base plus a vector of the frame.
func (s *step[F]) advance(base *step[F], f *frame[F], x, y F) {
	if s.slides {
		size := num.Sqrt(f.tx*f.tx + f.ty*f.ty)
		s.ds = base.ds + x*size
		return
	}
	s.dx, s.dy = base.dx+f.l.M11*x+f.l.M12*y, base.dy+f.l.M12*x+f.l.M22*y
}

// combineSteps returns a share of one step followed by the other.
func combineSteps[F num.Float](one, other *step[F], share, otherShare F) step[F] {
	s := *one
	s.dx, s.dy, s.ds = share*one.dx+otherShare*other.dx, share*one.dy+otherShare*other.dy, share*one.ds+otherShare*other.ds
	return s
}
