package kernels

// pull is what the neighbours of a vertex p do to it: A = Σ M_l and g = Σ M_l u_l over its edges u_l = y_l - p, where
// M_l is the sum of the metrics at both ends. (The mean would be half of it; the factor cancels.)
type pull[F Float] struct {
	a          Tensor[F]
	gx, gy     F
	xx, xy, yy F // Σ u_l u_l'
}

func gather[F Float](i int, m *Mesh[F], v []Vertex[F]) pull[F] {
	var w pull[F]
	p := v[i]
	for k := 0; ; k++ {
		j := m.next(i, k)
		if j < 0 {
			return w
		}
		y := &v[j]
		ux, uy := y.X-p.X, y.Y-p.Y
		m11, m12, m22 := p.M11+y.M11, p.M12+y.M12, p.M22+y.M22
		w.a.M11 += m11
		w.a.M12 += m12
		w.a.M22 += m22
		w.gx += m11*ux + m12*uy
		w.gy += m12*ux + m22*uy
		w.xx += ux * ux
		w.xy += ux * uy
		w.yy += uy * uy
	}
}

// newton returns the step A⁻¹ω g, or along a rail of direction t, ω t'g / t'At. A is factored as LDL', which keeps
// its scale out of the way of overflow.
func (w *pull[F]) newton(relax F, s *step[F]) {
	if s.slides {
		t := &s.rail
		s.ds = relax * (t.Tx*w.gx + t.Ty*w.gy) / w.a.product(t.Tx, t.Ty, t.Tx, t.Ty)
		return
	}
	l := w.a.M12 / w.a.M11
	s.dy = relax * (w.gy - l*w.gx) / (w.a.M22 - l*w.a.M12)
	s.dx = relax*w.gx/w.a.M11 - l*s.dy
}

// Pain moves vertex i by the step printed in C. C. Pain, A. P. Umpleby, C. R. E. de Oliveira and A. J. H. Goddard
// (Comput. Methods Appl. Mech. Engrg. 190 (2001) 3771), toward the least ½Σ u'Mu over its edges: (D+A)dp = ωg with the diagonal
// D_jj = max(A_jj, (1+s)Σ|A_jm|). It returns the square of the move in the metric.
//
//atoll:kernel max
func Pain[F Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	moved, seen []int32, n *Counters) F {
	if !due(i, p, m, moved, seen) {
		return 0
	}
	s := from(i, set, m, v)
	w := gather(i, m, v)
	if s.slides { // D is A, a number
		w.newton(p.Relax/2, &s)
	} else {
		off := (1 + p.Excess) * abs(w.a.M12)
		w.a.M11 += larger(w.a.M11, off)
		w.a.M22 += larger(w.a.M22, off)
		w.newton(p.Relax, &s)
	}
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
	s := from(i, set, m, v)
	w := gather(i, m, v)
	w.newton(p.Relax, &s)
	return guarded(i, set, p, m, field, c, &s, v, moved, seen, n)
}

// PainExact moves vertex i toward where the derivative of ½Σ u'Mu vanishes, to which the metric at the vertex, as it moves,
// belongs: A dp = ω(g - ½Σ u'(dM/dp)u), dM being half of what it is at the vertex itself.
//
//atoll:kernel max
func PainExact[F Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	moved, seen []int32, n *Counters) F {
	if !due(i, p, m, moved, seen) {
		return 0
	}
	s := from(i, set, m, v)
	w := gather(i, m, v)
	mx, my := field.Slope(s.x, s.y)
	w.gx -= (mx.M11*w.xx + 2*mx.M12*w.xy + mx.M22*w.yy) / 2
	w.gy -= (my.M11*w.xx + 2*my.M12*w.xy + my.M22*w.yy) / 2
	w.newton(p.Relax, &s)
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
	s := from(i, set, m, v)
	var w pull[F]
	for k := 0; ; k++ {
		j := m.next(i, k)
		if j < 0 {
			break
		}
		w.a.M11++
		w.gx += v[j].X - s.x
		w.gy += v[j].Y - s.y
	}
	w.a.M22 = w.a.M11
	w.newton(p.Relax, &s)
	return guarded(i, set, p, m, field, c, &s, v, moved, seen, n)
}

func larger[F Float](a, b F) F {
	if a > b {
		return a
	}
	return b
}
