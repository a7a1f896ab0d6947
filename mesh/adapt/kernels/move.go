package kernels

import "github.com/atoll-hpc/atoll/mesh/adapt/measure"

// Trials of a move: the step of Newton's method, and shorter ones.
const Trials = 3

func stepLength(trial int32) float64 {
	switch trial {
	case 0:
		return 1
	case 1:
		return 0.4
	}
	return 0.16
}

// Step is the Newton step of a vertex for the sum of 1/q over the triangles around it (at last of q⁻⁴), with the metric
// frozen for the derivatives.
type Step struct {
	Sum, Worst float64 // before
	Decrease   float64 // of the sum, as the derivatives predict for the whole step
	DX, DY     float64
	S, D       float64 // of a vertex of a line: its parameter, and the step along the curve
	Curve      int32
	Dimension  int32 // 1 along a line, 2 in the plane, 0 if the vertex stays
}

// below reports whether a triangle comes before another in the order of the ids of their vertices.
func (m *Mesh) below(k, l int32) bool {
	c, d := &m.Cells[k], &m.Cells[l]
	for i := range 3 {
		if v, u := c.V[i], d.V[i]; v != u {
			return m.ID[v] < m.ID[u]
		}
	}
	return false
}

// Order sorts the triangles around a vertex by the ids of their vertices. They are few, and nearly in order the next
// time.
func (m *Mesh) Order(v int32) {
	ball := m.Balls[v]
	for i := ball.Start + 1; i < ball.Start+ball.N; i++ {
		k, j := m.Around[i], i
		for j > ball.Start && m.below(k, m.Around[j-1]) {
			m.Around[j] = m.Around[j-1]
			j--
		}
		m.Around[j] = k
	}
}

// Newton returns the step of a vertex, around which the triangles are in order.
func (m *Mesh) Newton(v int32, r *Rules) (s Step) {
	if m.Freedom[v] == 0 || r.KeepBoundary && m.Freedom[v] < 2 {
		return s
	}
	var g measure.Vector
	var h measure.Tensor
	m.derivatives(v, r, &s, &g, &h)
	if m.Freedom[v] == 1 {
		m.newtonAlong(v, &s, &g, &h)
		return s
	}
	d, ok := measure.NewtonStep(2, &h, &g)
	if !ok {
		return s
	}
	power := 1.0 // of Σ q⁻ᵖ/p, of which g is the gradient
	if r.Sharp {
		power = 4
	}
	s.Dimension, s.DX, s.DY = 2, d[0], d[1]
	s.Decrease = -0.5 * power * measure.Dot(&g, &d)
	return s
}

// derivatives sets the sum and the worst quality, the gradient g and the second derivatives h. With N = Σ l² over the
// edges of a triangle and its area A, 1/q is proportional to N/A, so that with h = ∇N/N - ∇A/A the gradient of q⁻ᵖ/p is
// q⁻ᵖ h, and the second derivatives are q⁻ᵖ (p hh' + ∇∇N/N - ∇N∇N'/N² + ∇A∇A'/A²).
func (m *Mesh) derivatives(v int32, r *Rules, s *Step, g *measure.Vector, h *measure.Tensor) {
	const third = 1.0 / 3
	s.Worst = 1
	ball, x := m.Balls[v], &m.X[v]
	for k := range ball.N {
		c := &m.Cells[m.Around[ball.Start+k]]
		i := c.Find(2, v)
		v0, v1, v2 := c.V[0], c.V[1], c.V[2]
		a, b, d := &m.X[v0], &m.X[v1], &m.X[v2]
		m0, m1, m2 := &m.M[v0], &m.M[v1], &m.M[v2]
		p, q := b, d
		if i == 1 {
			p, q = d, a
		} else if i == 2 {
			p, q = a, b
		}
		m11, m12, m22 := (m0[0]+m1[0]+m2[0])*third, (m0[1]+m1[1]+m2[1])*third, (m0[2]+m1[2]+m2[2])*third
		ux, uy, vx, vy := x[0]-p[0], x[1]-p[1], x[0]-q[0], x[1]-q[1]
		wx, wy, sx, sy := ux-vx, uy-vy, ux+vx, uy+vy
		n := ux*(m11*ux+m12*uy) + uy*(m12*ux+m22*uy) + (vx*(m11*vx+m12*vy) + vy*(m12*vx+m22*vy)) +
			(wx*(m11*wx+m12*wy) + wy*(m12*wx+m22*wy))
		area := 0.5 * ((b[0]-a[0])*(d[1]-a[1]) - (b[1]-a[1])*(d[0]-a[0]))
		perSum, perArea := 1/n, 1/area
		ax, ay := perSum*(2*(m11*sx+m12*sy)), perSum*(2*(m12*sx+m22*sy))
		bx, by := perArea*(0.5*(p[1]-q[1])), perArea*(0.5*(q[0]-p[0]))
		hx, hy := ax-bx, ay-by
		power, weight := 1.0, 1/c.Quality
		if r.Sharp {
			power, weight = 4, (weight*weight)*(weight*weight)
		}
		curvature := 4 * perSum
		g[0] += weight * hx
		g[1] += weight * hy
		h[0] += weight * (power*hx*hx + curvature*m11 - ax*ax + bx*bx)
		h[1] += weight * (power*hx*hy + curvature*m12 - ax*ay + bx*by)
		h[2] += weight * (power*hy*hy + curvature*m22 - ay*ay + by*by)
		s.Sum += weight
		s.Worst = min(s.Worst, c.Quality)
	}
}

// lineEnds returns the two line edges at a vertex of a line, that to the vertex with the lower id first.
func (m *Mesh) lineEnds(v int32) (a, b LineEnd) {
	at := m.Lines[v].Start
	a, b = m.Ends[at], m.Ends[at+1]
	if m.ID[b.To] < m.ID[a.To] {
		return b, a
	}
	return a, b
}

// newtonAlong sets the step of a vertex of a line along the line, toward either neighbour by at most 0.6 of the way.
func (m *Mesh) newtonAlong(v int32, s *Step, g *measure.Vector, h *measure.Tensor) {
	a, b := m.lineEnds(v)
	t := m.Curves.Tangent(a.Curve, a.S)
	second := measure.Square(2, h, &t)
	if !(second > 0) {
		return
	}
	low, high := 0.6*(m.parameter(v, &a)-a.S), 0.6*(m.parameter(v, &b)-a.S)
	if low > high {
		low, high = high, low
	}
	s.Dimension, s.Curve, s.S = 1, a.Curve, a.S
	s.D = min(high, max(low, -measure.Dot(g, &t)/second))
}

// Verdicts on a trial.
const (
	Stay int32 = iota // neither this trial nor a shorter step is worthwhile
	Pass              // this one is not possible
	Try
)

// Trial returns where a trial brings a vertex, and if that is on a line its parameter there. Steps in the plane that
// the derivatives predict to reduce the sum by less than a quarter of what is accepted are not tried: one in
// thousands would be.
func (m *Mesh) Trial(v int32, s *Step, trial int32, r *Rules) (to measure.Vector, at float64, verdict int32) {
	step := stepLength(trial)
	switch s.Dimension {
	case 0:
		return to, at, Stay
	case 1:
		a, b := m.lineEnds(v)
		at = s.S + step*s.D
		to = m.Curves.At(s.Curve, at)
		if m.Curves.Near(s.Curve, m.parameter(v, &a), at, &m.X[a.To], &to, r.Hausdorff) &&
			m.Curves.Near(s.Curve, at, m.parameter(v, &b), &to, &m.X[b.To], r.Hausdorff) {
			return to, at, Try
		}
		return to, at, Pass
	}
	if !(s.Decrease*step*(2-step) >= 0.25*r.Gain*s.Sum) {
		return to, at, Stay
	}
	to = m.X[v]
	to[0] += step * s.DX
	to[1] += step * s.DY
	return to, at, Try
}

// Improves reports whether a vertex is better at another position with the metric there: the sum falls by the relative
// amount Gain and the worst quality does not fall.
func (m *Mesh) Improves(v int32, s *Step, x *measure.Vector, metric *measure.Tensor, r *Rules) bool {
	sum, limit, ball := 0.0, s.Sum*(1-r.Gain), m.Balls[v]
	for k := range ball.N {
		q := m.qualityAt(m.Around[ball.Start+k], v, x, metric)
		f := 1 / q
		if r.Sharp {
			f = (f * f) * (f * f)
		}
		sum += f
		if !(q >= s.Worst) || !(q > 0) || !(sum < limit) {
			return false
		}
	}
	return true
}

// qualityAt is the quality of a triangle with a vertex at another position, where the metric is p.
func (m *Mesh) qualityAt(k, v int32, x *measure.Vector, p *measure.Tensor) float64 {
	c := &m.Cells[k]
	a, b, d := c.V[0], c.V[1], c.V[2]
	switch v {
	case a:
		return quality(x, p, &m.X[b], &m.M[b], &m.X[d], &m.M[d])
	case b:
		return quality(&m.X[a], &m.M[a], x, p, &m.X[d], &m.M[d])
	}
	return quality(&m.X[a], &m.M[a], &m.X[b], &m.M[b], x, p)
}

// MoveTo moves a vertex to a position, which on a line has the parameter at, with the metric there.
func (m *Mesh) MoveTo(v int32, x *measure.Vector, metric *measure.Tensor, at float64) {
	m.X[v], m.M[v] = *x, *metric
	line := m.Lines[v]
	for i := range line.N {
		m.Ends[line.Start+i].S = at
	}
	ball := m.Balls[v]
	for k := range ball.N {
		m.Measure(&m.Cells[m.Around[ball.Start+k]])
	}
}

// IsHigher reports whether a hash comes before another, of which the ids break ties.
func IsHigher(h uint64, id int64, o uint64, other int64) bool { return h > o || h == o && id > other }

// Turn is the hash of a vertex that waits to be moved in this round, which is not 0.
func (r *Rules) Turn(id int64) uint64 { return max(1, r.Hash(id)) }

// Before returns a vertex around v that waits to be moved before v, which is v itself if there is none. turns are the
// hashes of the vertices that wait, 0 for others.
func (m *Mesh) Before(v int32, turns []uint64) int32 {
	h, ball := turns[v], m.Balls[v]
	for i := range ball.N {
		c := &m.Cells[m.Around[ball.Start+i]]
		for j := range 3 {
			if u := c.V[j]; turns[u] >= h && u != v && IsHigher(turns[u], m.ID[u], h, m.ID[v]) {
				return u
			}
		}
	}
	return v
}
