package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/eigen"
)

// roe sets the viscosity to sgn(A) (A ΔW - S Δdepth), the upwind part of both Roe schemes, with Harten's fix if
// requested.
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
	w1, w4 := f.external(ev.L1, ev.L4)
	e1, e4 := f.project(&w1, inner), f.project(&w4, inner)
	inner = inner.plus(-1, e1).plus(-1, e4)

	var m vector[F]
	if ev.L2 < 0 && ev.L3 > 0 {
		w := 1 / (ev.L3 - ev.L2)
		ai := f.applyRoeMatrix(p.DensityRatio, inner)
		m = m.plus(2*w, ai).plus(-(ev.L2+ev.L3)*w, inner)
	} else {
		m = m.plus(num.Sign(ev.L2+ev.L3), inner)
	}
	m = m.plus(num.Sign(ev.L1), e1).plus(num.Sign(ev.L4), e4)

	width := p.EntropyFix * (ev.L4 - ev.L1)
	if num.Smaller(num.Smaller(num.Abs(ev.L1), num.Abs(ev.L4)), num.Smaller(num.Abs(ev.L2), num.Abs(ev.L3))) < width {
		m = m.plus(1, f.fix(p, ev, width, &w1, &w4))
	}
	f.viscosity = m
}

// fix returns what Harten's fix adds to the viscosity: Σ g_k E_k applied to stateJump, where g_k is added to |λ_k|.
func (f *Face[F]) fix(p *Params[F], ev *eigen.Values[F], width F, w1, w4 *wave[F]) vector[F] {
	g1, g2, g3, g4 := harten(ev.L1, width), harten(ev.L2, width), harten(ev.L3, width), harten(ev.L4, width)
	inner := f.stateJump()
	e1, e4 := f.project(w1, inner), f.project(w4, inner)
	inner = inner.plus(-1, e1).plus(-1, e4)
	var m vector[F]
	m = m.plus(g1, e1).plus(g4, e4)
	// Near a double root, round-off dominates the divided difference (g3-g2)/(λ3-λ2); there the mean of g2 and g3 is used.
	gap := ev.L3 - ev.L2
	if gap <= (ev.L4-ev.L1)*F(1e-3) {
		return m.plus((g2+g3)/2, inner)
	}
	w := 1 / gap
	ai := f.applyRoeMatrix(p.DensityRatio, inner)
	return m.plus((g3-g2)*w, ai).plus((g2*ev.L3-g3*ev.L2)*w, inner)
}

// harten returns |λ|_ε - |λ| with |λ|_ε = (λ² + ε²)/2ε below ε.
func harten[F num.Float](l, eps F) F {
	a := num.Abs(l)
	if a >= eps {
		return 0
	}
	return (eps - a) * (eps - a) / (2 * eps)
}

// wave is an external eigenvalue λ with its eigenvectors: R = (1, λ, m, mλ) on the right with m = X1/c1, and on the
// left L = (X2 (λ-2u1), X2, c1 (λ-2u2), c1), X_k = (λ-u_k)² - c_k. The fields are λ, X2, m and 1/(L·R). L·R is the
// derivative of the characteristic polynomial at λ: it vanishes only at a double root, and no external root is double.
type wave[F num.Float] struct{ l, x2, m, weight F }

// external computes both external waves with one division.
func (f *Face[F]) external(l1, l4 F) (w1, w4 wave[F]) {
	a1, a2 := (l1-f.u1)*(l1-f.u1)-f.c1, (l1-f.u2)*(l1-f.u2)-f.c2
	b1, b2 := (l4-f.u1)*(l4-f.u1)-f.c1, (l4-f.u2)*(l4-f.u2)-f.c2
	a := 2 * ((l1-f.u1)*a2 + (l1-f.u2)*a1)
	b := 2 * ((l4-f.u1)*b2 + (l4-f.u2)*b1)
	all := 1 / (a * b * f.c1)
	w, c := f.c1*all, a*b*all
	return wave[F]{l1, a2, a1 * c, b * w}, wave[F]{l4, b2, b1 * c, a * w}
}

// project returns E v for an external wave: R (L·v)/(L·R).
func (f *Face[F]) project(w *wave[F], v vector[F]) vector[F] {
	s := (w.x2*((w.l-2*f.u1)*v.h1+v.q1) + f.c1*((w.l-2*f.u2)*v.h2+v.q2)) * w.weight
	m := w.m * s
	return vector[F]{s, w.l * s, m, w.l * m}
}

// plus returns v + s w.
func (v vector[F]) plus(s F, w vector[F]) vector[F] {
	return vector[F]{v.h1 + s*w.h1, v.q1 + s*w.q1, v.h2 + s*w.h2, v.q2 + s*w.q2}
}
