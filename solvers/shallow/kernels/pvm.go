package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// pvm sets the viscosity to Q (ΔW - A⁻¹S Δdepth) of the PVM-IFCP scheme, equation (5): Q = a0 I + a1 A + a2 A², the
// parabola that meets |λ| at both external eigenvalues and at χ, the larger internal one, taken on the side of the mean
// flow.
//
// The term of a0 uses the jump of levels, which equals ΔW - A⁻¹S Δdepth at rest and has no singularity where an
// internal wave is critical; the terms of a1 and a2 need only A (ΔW - A⁻¹S Δdepth), the residual.
func (f *Face[F]) pvm(r F) {
	ev := &f.waves
	l1, l4 := ev.L1, ev.L4
	x := num.Abs(ev.L2+ev.L3)/2 + (ev.L3-ev.L2)/2 // max(|λ2|, |λ3|) without a branch
	if l1+l4 < 0 {
		x = -x
	}
	var a0, a1, a2 F
	guard := (l4 - l1) * F(1e-4)
	if x-l1 < guard || l4-x < guard {
		// χ is no third point: the line through both external waves (HLL).
		w := 1 / (l4 - l1)
		a0 = (l4*num.Abs(l1) - l1*num.Abs(l4)) * w
		a1 = (num.Abs(l4) - num.Abs(l1)) * w
	} else {
		// Lagrange's weights over one common denominator.
		w := 1 / ((l4 - l1) * (x - l1) * (l4 - x))
		d1 := num.Abs(l1) * (l4 - x) * w
		d4 := num.Abs(l4) * (x - l1) * w
		di := -num.Abs(x) * (l4 - l1) * w
		a0 = d1*l4*x + d4*l1*x + di*l1*l4
		a1 = -l1*(d4+di) - l4*(d1+di) - x*(d1+d4)
		a2 = d1 + d4 + di
	}
	ar := f.applyRoeMatrix(r, f.residual())
	v := &f.viscosity
	v.h1 = a0*(f.dz1-f.dz2) + a1*f.r1 + a2*ar.h1
	v.q1 = a0*f.r1 + a1*f.r2 + a2*ar.q1
	v.h2 = a0*f.dz2 + a1*f.r3 + a2*ar.h2
	v.q2 = a0*f.r3 + a1*f.r4 + a2*ar.q2
}
