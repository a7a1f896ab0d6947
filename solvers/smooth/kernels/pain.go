package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// metricTimes returns M u, the force of an edge u of metric M on a vertex at its end.
func metricTimes[F num.Float](m11, m12, m22, ux, uy F) (F, F) {
	return m11*ux + m12*uy, m12*ux + m22*uy
}

// gather returns A = Σ M_l and g = Σ M_l u_l of vertex i over its edges u_l = y_l - p, where M_l is the sum of the
// metrics at both ends. (The mean would be half of it; the factor cancels.) The sums are plain variables, which Go
// keeps in registers as it does not keep those in a struct of this size.
func gather[F num.Float](i int, m *Mesh[F], v []Vertex[F]) (Tensor[F], F, F) {
	p := &v[i]
	x, y, p11, p12, p22 := p.X, p.Y, p.M11, p.M12, p.M22
	var a11, a12, a22, gx, gy F
	r := m.Rings[i] // all at once: a GPU reads 16 bytes as fast as 4
	for k := range inline {
		j := r.At[k]
		if j < 0 {
			break
		}
		n := &v[j]
		m11, m12, m22 := p11+n.M11, p12+n.M12, p22+n.M22
		fx, fy := metricTimes(m11, m12, m22, n.X-x, n.Y-y)
		a11, a12, a22, gx, gy = a11+m11, a12+m12, a22+m22, gx+fx, gy+fy
	}
	if r.At[inline] >= 0 {
		for k := inline; ; k++ {
			j := m.next(i, k)
			if j < 0 {
				break
			}
			n := &v[j]
			m11, m12, m22 := p11+n.M11, p12+n.M12, p22+n.M22
			fx, fy := metricTimes(m11, m12, m22, n.X-x, n.Y-y)
			a11, a12, a22, gx, gy = a11+m11, a12+m12, a22+m22, gx+fx, gy+fy
		}
	}
	return Tensor[F]{M11: a11, M12: a12, M22: a22}, gx, gy
}

// moments returns Σ u_l u_l' over the edges u_l of vertex i.
func moments[F num.Float](i int, m *Mesh[F], v []Vertex[F]) (F, F, F) {
	x, y := v[i].X, v[i].Y
	var xx, xy, yy F
	for k := 0; ; k++ {
		j := m.next(i, k)
		if j < 0 {
			return xx, xy, yy
		}
		ux, uy := v[j].X-x, v[j].Y-y
		xx += ux * ux
		xy += ux * uy
		yy += uy * uy
	}
}

// newton sets the step to A⁻¹ω g, or on a rail with the direction t, to ω t'g / t'At.
func (s *step[F]) newton(a *Tensor[F], gx, gy, relax F) {
	if s.slides {
		tx, ty := s.tangent()
		s.ds = relax * (tx*gx + ty*gy) / a.product(tx, ty, tx, ty)
		return
	}
	s.dx, s.dy = solve(a.M11, a.M12, a.M22, relax*gx, relax*gy)
}

// pain sets the step to (D+A)⁻¹ω g. On a rail A is a number, and D = A.
func (s *step[F]) pain(a *Tensor[F], gx, gy F, p *Params[F]) {
	if s.slides {
		s.newton(a, gx, gy, p.Relax/2)
		return
	}
	offDiagonal := (1 + p.Excess) * num.Abs(a.M12)
	s.dx, s.dy = solve(a.M11+num.Larger(a.M11, offDiagonal), a.M12, a.M22+num.Larger(a.M22, offDiagonal),
		p.Relax*gx, p.Relax*gy)
}

// solve returns A⁻¹g. A is factored as LDL', so that no product of two elements of A is formed, which could overflow.
func solve[F num.Float](a11, a12, a22, gx, gy F) (F, F) {
	inverse := 1 / a11
	l := a12 * inverse
	y := (gy - l*gx) / (a22 - l*a12)
	return gx*inverse - l*y, y
}

// Pain moves vertex i by the step printed in C. C. Pain, A. P. Umpleby, C. R. E. de Oliveira and A. J. H. Goddard
// (Comput. Methods Appl. Mech. Engrg. 190 (2001) 3771), toward the least ½Σ u'Mu over its edges: (D+A)dp = ωg with the
// diagonal D_jj = max(A_jj, (1+s)Σ|A_jm|). It returns the square of the move in the metric.
//
//atoll:kernel lanes wide max grain=512
func Pain[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	a, gx, gy := gather(i, m, v)
	s.pain(&a, gx, gy, p)
	return guarded(i, set, p, m, field, c, &s, v, lastMove, lastVisit, n)
}

// PainExact moves vertex i toward where the derivative of ½Σ u'Mu over its edges vanishes, including that of the
// metric, which changes with the vertex: A dp = ω(g - ½Σ u'(dM/dp)u), with A and g of gather, and dM/dp at the
// vertex.
//
//atoll:kernel lanes wide max grain=512
func PainExact[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	a, gx, gy := gather(i, m, v)
	mx, my := field.Gradient(s.x, s.y)
	xx, xy, yy := moments(i, m, v)
	gx -= (mx.M11*xx + 2*mx.M12*xy + mx.M22*yy) / 2
	gy -= (my.M11*xx + 2*my.M12*xy + my.M22*yy) / 2
	s.newton(&a, gx, gy, p.Relax)
	return guarded(i, set, p, m, field, c, &s, v, lastMove, lastVisit, n)
}

// Laplace moves vertex i toward the mean of its neighbours, ignoring the metric, when untangling is stuck.
//
//atoll:kernel max
func Laplace[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	var a Tensor[F]
	var gx, gy F
	for k := 0; ; k++ {
		j := m.next(i, k)
		if j < 0 {
			break
		}
		a.M11++
		gx += v[j].X - s.x
		gy += v[j].Y - s.y
	}
	a.M22 = a.M11
	s.newton(&a, gx, gy, p.Relax)
	return guarded(i, set, p, m, field, c, &s, v, lastMove, lastVisit, n)
}
