package solid

import "github.com/atoll-hpc/atoll/solvers/common/num"

// gather returns A = Σ M_l and g = Σ M_l u_l of vertex i, at p, over its edges u_l = y_l - p, where M_l is the sum
// of the metrics at both ends. (The mean would be half of it; the factor cancels.)
func gather[F num.Float](i int, p Vector[F], m *Mesh[F], v []Vertex[F]) (Tensor[F], Vector[F]) {
	own := v[i].metric()
	var a Tensor[F]
	var g Vector[F]
	for k := m.Spans[i].FirstNeighbour; k < m.Spans[i+1].FirstNeighbour; k++ {
		y := &v[m.Neighbours[k]]
		u := y.from(p)
		var e Tensor[F]
		e.M11, e.M12, e.M13 = own.M11+y.M11, own.M12+y.M12, own.M13+y.M13
		e.M22, e.M23, e.M33 = own.M22+y.M22, own.M23+y.M23, own.M33+y.M33
		a.M11 += e.M11
		a.M12 += e.M12
		a.M13 += e.M13
		a.M22 += e.M22
		a.M23 += e.M23
		a.M33 += e.M33
		w := e.times(u)
		g.X += w.X
		g.Y += w.Y
		g.Z += w.Z
	}
	return a, g
}

// metricDerivative returns ½Σ u'(dM/dp)u over the edges of vertex i at p, by component. This is twice the
// contribution of the metric at the vertex to the derivative of ½Σ u'Mu, since the metric of an edge contains half
// of it.
func metricDerivative[F num.Float](i int, p Vector[F], m *Mesh[F], field *Field[F], v []Vertex[F]) Vector[F] {
	mx, my, mz := field.Gradient(p)
	var sum Vector[F]
	for k := m.Spans[i].FirstNeighbour; k < m.Spans[i+1].FirstNeighbour; k++ {
		u := v[m.Neighbours[k]].from(p)
		sum.X += mx.product(u, u)
		sum.Y += my.product(u, u)
		sum.Z += mz.product(u, u)
	}
	sum.X, sum.Y, sum.Z = sum.X/2, sum.Y/2, sum.Z/2
	return sum
}

// newton sets the step to A⁻¹ωg within the frame.
func (s *step[F]) newton(a *Tensor[F], g Vector[F], relax F) {
	b, h := s.within(a, g)
	h.X, h.Y, h.Z = relax*h.X, relax*h.Y, relax*h.Z
	s.d = solve(&b, h)
}

// pain sets the step to (D+A)⁻¹ωg within the frame.
func (s *step[F]) pain(a *Tensor[F], g Vector[F], p *Params[F]) {
	b, h := s.within(a, g)
	more := 1 + p.Excess
	x, y, z := num.Abs(b.M12), num.Abs(b.M13), num.Abs(b.M23)
	b.M11 += num.Larger(b.M11, more*(x+y))
	b.M22 += num.Larger(b.M22, more*(x+z))
	b.M33 += num.Larger(b.M33, more*(y+z))
	h.X, h.Y, h.Z = p.Relax*h.X, p.Relax*h.Y, p.Relax*h.Z
	s.d = solve(&b, h)
}

// Pain moves vertex i by the step printed in C. C. Pain, A. P. Umpleby, C. R. E. de Oliveira and A. J. H. Goddard
// (Comput. Methods Appl. Mech. Engrg. 190 (2001) 3771), toward the least ½Σ u'Mu over its edges: (D+A)dp = ωg with the
// diagonal D_jj = max(A_jj, (1+s)Σ|A_jm|). It returns the square of the move in the metric.
//
//atoll:kernel max
func Pain[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	a, g := gather(i, s.p, m, v)
	s.pain(&a, g, p)
	return guarded(i, set, p, m, field, c, &s, v, lastMove, lastVisit, n)
}

// PainExact moves vertex i toward where the derivative of ½Σ u'Mu over its edges vanishes, including that of the
// metric, which changes with the vertex: A dp = ω(g - ½Σ u'(dM/dp)u), with A and g of gather, and dM/dp at the
// vertex.
//
//atoll:kernel max
func PainExact[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32, n *Counters) F {
	if !needsVisit(i, p, m, lastMove, lastVisit) {
		return 0
	}
	var s step[F]
	s.begin(i, set, m, v)
	a, g := gather(i, s.p, m, v)
	g = minus(g, metricDerivative(i, s.p, m, field, v))
	s.newton(&a, g, p.Relax)
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
	var g Vector[F]
	for k := m.Spans[i].FirstNeighbour; k < m.Spans[i+1].FirstNeighbour; k++ {
		u := v[m.Neighbours[k]].from(s.p)
		a.M11++
		g.X += u.X
		g.Y += u.Y
		g.Z += u.Z
	}
	a.M22, a.M33 = a.M11, a.M11
	s.newton(&a, g, p.Relax)
	return guarded(i, set, p, m, field, c, &s, v, lastMove, lastVisit, n)
}
