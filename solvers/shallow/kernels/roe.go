package kernels

// roe sets the viscosity to sgn(A) (A ΔW - S Δdepth), the upwind part of both Roe schemes, with Harten's fix where asked for.
//
// With E1, E4 the projectors on the external eigenvectors and P = I - E1 - E4, sgn(A) needs neither the internal
// eigenvectors nor an inverse:
//
//	sgn(A) = sgn(λ1) E1 + sgn(λ4) E4 + s P                           if λ2 and λ3 have one sign s or are complex
//	sgn(A) = sgn(λ1) E1 + sgn(λ4) E4 + (2A - (λ2+λ3) I) P / (λ3-λ2)  if λ2 < 0 < λ3
//
// which for a complex pair is the sign of its real part, as the real Jordan form gives.
func (f *Face[F]) roe(p *Params[F]) {
	ev := &f.waves
	inner := f.residual()
	e1 := f.project(ev.L1, inner)
	e4 := f.project(ev.L4, inner)
	inner = inner.plus(-1, e1).plus(-1, e4)

	var m vector[F]
	if ev.L2 < 0 && ev.L3 > 0 {
		w := 1 / (ev.L3 - ev.L2)
		ai := f.times(p.DensityRatio, inner)
		m = m.plus(2*w, ai).plus(-(ev.L2+ev.L3)*w, inner)
	} else {
		m = m.plus(sign(ev.L2+ev.L3), inner)
	}
	m = m.plus(sign(ev.L1), e1).plus(sign(ev.L4), e4)

	width := p.EntropyFix * (ev.L4 - ev.L1)
	g1, g2, g3, g4 := harten(ev.L1, width), harten(ev.L2, width), harten(ev.L3, width), harten(ev.L4, width)
	if g1+g2+g3+g4 > 0 {
		m = m.plus(1, f.fix(p, ev, g1, g2, g3, g4))
	}
	f.viscosity = m
}

// fix adds to |A| what Harten's fix adds to each |λ|: Σ g_k E_k applied to the jump.
func (f *Face[F]) fix(p *Params[F], ev *Eigenvalues[F], g1, g2, g3, g4 F) vector[F] {
	inner := f.jump()
	e1 := f.project(ev.L1, inner)
	e4 := f.project(ev.L4, inner)
	inner = inner.plus(-1, e1).plus(-1, e4)
	var m vector[F]
	m = m.plus(g1, e1).plus(g4, e4)
	// Close to a double root the divided difference has no digits left; the mean is its limit's first term.
	apart := ev.L3 - ev.L2
	if apart <= (ev.L4-ev.L1)*F(1e-3) {
		return m.plus((g2+g3)/2, inner)
	}
	w := 1 / apart
	ai := f.times(p.DensityRatio, inner)
	return m.plus((g3-g2)*w, ai).plus((g2*ev.L3-g3*ev.L2)*w, inner)
}

// harten is |λ|_ε - |λ| with |λ|_ε = (λ² + ε²)/2ε below ε.
func harten[F Float](l, eps F) F {
	a := abs(l)
	if a >= eps {
		return 0
	}
	return (eps - a) * (eps - a) / (2 * eps)
}

// project is E v for an external eigenvalue λ: R (l·v)/(l·R) with the right eigenvector R = (1, λ, m, mλ),
// m = X1/c1, the left l = (X2 (λ-2u1), X2, c1 (λ-2u2), c1), X_k = (λ-u_k)² - c_k, and l·R = p'(λ), which vanishes
// only at a double root, and no external root is double.
func (f *Face[F]) project(l F, v vector[F]) vector[F] {
	x1, x2 := (l-f.u1)*(l-f.u1)-f.c1, (l-f.u2)*(l-f.u2)-f.c2
	slope := 2 * ((l-f.u1)*x2 + (l-f.u2)*x1)
	s := (x2*((l-2*f.u1)*v.h1+v.q1) + f.c1*((l-2*f.u2)*v.h2+v.q2)) / slope
	m := x1 / f.c1 * s
	return vector[F]{s, l * s, m, l * m}
}

// plus is v + s w.
func (v vector[F]) plus(s F, w vector[F]) vector[F] {
	return vector[F]{v.h1 + s*w.h1, v.q1 + s*w.q1, v.h2 + s*w.h2, v.q2 + s*w.q2}
}

func sign[F Float](x F) F {
	if x > 0 {
		return 1
	}
	if x < 0 {
		return -1
	}
	return 0
}
