package kernels

// pull is what neighbours do to a vertex: A = Σ M_l and g = Σ M_l u_l over its edges u_l = y_l - p, where M_l is the sum
// of the metrics at both ends. (The mean would be half of it; the factor cancels.)
type pull[F Float] struct {
	x, y, p11, p12, p22 F // the vertex
	a                   Tensor[F]
	gx, gy              F
}

// add adds a neighbour and its metric.
func (s *pull[F]) add(x, y, n11, n12, n22 F) {
	ux, uy := x-s.x, y-s.y
	m11, m12, m22 := s.p11+n11, s.p12+n12, s.p22+n22
	s.a.M11 += m11
	s.a.M12 += m12
	s.a.M22 += m22
	s.gx += m11*ux + m12*uy
	s.gy += m12*ux + m22*uy
}

// gather returns A and g of vertex i.
func gather[F Float](i int, m *Mesh[F], v []Vertex[F]) (Tensor[F], F, F) {
	p := &v[i]
	var s pull[F]
	s.x, s.y, s.p11, s.p12, s.p22 = p.X, p.Y, p.M11, p.M12, p.M22
	r := m.Rings[i] // all at once: a GPU reads 16 bytes as fast as 4
	for k := range inline {
		j := r.At[k]
		if j < 0 {
			break
		}
		n := &v[j]
		s.add(n.X, n.Y, n.M11, n.M12, n.M22)
	}
	if r.At[inline] >= 0 {
		for k := inline; ; k++ {
			j := m.next(i, k)
			if j < 0 {
				break
			}
			n := &v[j]
			s.add(n.X, n.Y, n.M11, n.M12, n.M22)
		}
	}
	return s.a, s.gx, s.gy
}

// moments returns Σ u_l u_l'.
func moments[F Float](i int, m *Mesh[F], v []Vertex[F]) (F, F, F) {
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

// newton makes the step A⁻¹ω g, or along a rail of direction t, ω t'g / t'At.
func (s *step[F]) newton(a *Tensor[F], gx, gy, relax F) {
	if s.slides {
		t := &s.rail
		s.ds = relax * (t.Tx*gx + t.Ty*gy) / a.product(t.Tx, t.Ty, t.Tx, t.Ty)
		return
	}
	s.dx, s.dy = solve(a.M11, a.M12, a.M22, relax*gx, relax*gy)
}

// pain makes the step (D+A)⁻¹ω g. On a rail D is A, a number.
func (s *step[F]) pain(a *Tensor[F], gx, gy F, p *Params[F]) {
	if s.slides {
		s.newton(a, gx, gy, p.Relax/2)
		return
	}
	off := (1 + p.Excess) * abs(a.M12)
	s.dx, s.dy = solve(a.M11+larger(a.M11, off), a.M12, a.M22+larger(a.M22, off), p.Relax*gx, p.Relax*gy)
}

// solve returns A⁻¹g. A is factored as LDL', which keeps its scale out of the way of overflow.
func solve[F Float](a11, a12, a22, gx, gy F) (F, F) {
	inverse := 1 / a11
	l := a12 * inverse
	y := (gy - l*gx) / (a22 - l*a12)
	return gx*inverse - l*y, y
}

// Pain moves vertex i by the step printed in C. C. Pain, A. P. Umpleby, C. R. E. de Oliveira and A. J. H. Goddard
// (Comput. Methods Appl. Mech. Engrg. 190 (2001) 3771), toward the least ½Σ u'Mu over its edges: (D+A)dp = ωg with the
// diagonal D_jj = max(A_jj, (1+s)Σ|A_jm|). It returns the square of the move in the metric.
//
//atoll:kernel max
func Pain[F Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	moved, seen []int32, n *Counters) F {
	if !due(i, p, m, moved, seen) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	a, gx, gy := gather(i, m, v)
	s.pain(&a, gx, gy, p)
	return guarded(i, set, p, m, field, c, &s, v, moved, seen, n)
}

// PainNewton moves vertex i to where g vanishes, or beyond for ω > 1: A dp = ωg.
//
//atoll:kernel max
func PainNewton[F Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	moved, seen []int32, n *Counters) F {
	if !due(i, p, m, moved, seen) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	a, gx, gy := gather(i, m, v)
	s.newton(&a, gx, gy, p.Relax)
	return guarded(i, set, p, m, field, c, &s, v, moved, seen, n)
}

// PainExact moves vertex i toward where the derivative of ½Σ u'Mu vanishes, to which the metric at the vertex, as it
// moves, belongs: A dp = ω(g - ½Σ u'(dM/dp)u), dM being half of what it is at the vertex itself.
//
//atoll:kernel max
func PainExact[F Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	moved, seen []int32, n *Counters) F {
	if !due(i, p, m, moved, seen) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	a, gx, gy := gather(i, m, v)
	mx, my := field.Slope(s.x, s.y)
	xx, xy, yy := moments(i, m, v)
	gx -= (mx.M11*xx + 2*mx.M12*xy + mx.M22*yy) / 2
	gy -= (my.M11*xx + 2*my.M12*xy + my.M22*yy) / 2
	s.newton(&a, gx, gy, p.Relax)
	return guarded(i, set, p, m, field, c, &s, v, moved, seen, n)
}

// Laplace moves vertex i toward the mean of its neighbours, whatever the metric.
//
//atoll:kernel max
func Laplace[F Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	moved, seen []int32, n *Counters) F {
	if !due(i, p, m, moved, seen) {
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
	return guarded(i, set, p, m, field, c, &s, v, moved, seen, n)
}

func larger[F Float](a, b F) F {
	if a > b {
		return a
	}
	return b
}
