package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// dryViscosity computes the viscosity and the fastest wave of a face if a layer is absent on at least one side. All
// schemes share it.
//
// At such a face a layer may have to climb: the lower layer to the higher of both beds, and where the upper layer is
// absent on a side, this layer to the higher of both interfaces. A level below that height counts as equal to it. If
// the layer ends at the face and its level is below what stands on the other side, the face is a wall to it: its
// velocity is set to 0. If one layer is absent on both sides, the other is treated as a single layer.
func (f *Face[F]) dryViscosity(p *Params[F]) {
	l, r := &f.l, &f.r
	l.h1, l.h2, r.h1, r.h2 = num.Larger(l.h1, 0), num.Larger(l.h2, 0), num.Larger(r.h1, 0), num.Larger(r.h2, 0)
	absent1l, absent1r := l.h1 < p.DryDepth, r.h1 < p.DryDepth
	absent2l, absent2r := l.h2 < p.DryDepth, r.h2 < p.DryDepth

	z1l, z1r, z2l, z2r := l.z1, r.z1, l.z2, r.z2
	if absent2r && -r.depth > z2l {
		l.q2, l.u2 = 0, 0
	}
	if absent2l && -l.depth > z2r {
		r.q2, r.u2 = 0, 0
	}
	if absent1r && z2r > z1l {
		l.q1, l.u1 = 0, 0
	}
	if absent1l && z2l > z1r {
		r.q1, r.u1 = 0, 0
	}
	bed := -num.Smaller(l.depth, r.depth)
	z2l, z2r = num.Larger(z2l, bed), num.Larger(z2r, bed)
	f.dz2 = z2r - z2l
	if absent1l || absent1r {
		top := num.Larger(z2l, z2r)
		z1l, z1r = num.Larger(z1l, top), num.Larger(z1r, top)
	}
	f.dz1 = z1r - z1l

	if absent1l && absent1r {
		f.stopUpper()
		f.lowerViscosity(p, absent2l && absent2r)
		return
	}
	if absent2l && absent2r {
		f.stopLower()
		f.dz2 = 0
		f.roeMeanThin(p.Gravity)
		f.computeResidual(p.DensityRatio)
		f.r4 = 0
		h, q, speed := singleLayerViscosity(p.Gravity, l.h1, l.u1, r.h1, r.u1, f.u1, f.c1, f.dz1, f.r1, f.r2, p.DryDepth)
		f.viscosity, f.speed = vector[F]{h1: h, q1: q}, speed
		return
	}
	f.roeMeanThin(p.Gravity)
	f.computeResidual(p.DensityRatio)
	f.waves.Solve(f.u1, f.u2, f.c1, f.c2, p.DensityRatio, p.Tolerance)
	f.speed = f.waves.Fastest()
	f.pvm(p.DensityRatio)
}

// viscosityOfOneLayer is dryViscosity in a run without an upper layer.
func (f *Face[F]) viscosityOfOneLayer(p *Params[F]) {
	l, r := &f.l, &f.r
	l.h2, r.h2 = num.Larger(l.h2, 0), num.Larger(r.h2, 0)
	absentl, absentr := l.h2 < p.DryDepth, r.h2 < p.DryDepth
	if f.sloped {
		absentl, absentr = l.mean2 < p.DryDepth, r.mean2 < p.DryDepth
	}
	if absentr && -r.depth > l.z2 {
		l.q2, l.u2 = 0, 0
	}
	if absentl && -l.depth > r.z2 {
		r.q2, r.u2 = 0, 0
	}
	bed := -num.Smaller(l.depth, r.depth)
	f.dz2 = num.Larger(r.z2, bed) - num.Larger(l.z2, bed)
	f.lowerViscosity(p, absentl && absentr)
}

// lowerViscosity is dryViscosity where no side has an upper layer. dry means that no side has a lower layer either.
func (f *Face[F]) lowerViscosity(p *Params[F], dry bool) {
	l, r := &f.l, &f.r
	f.dz1 = f.dz2
	f.roeMeanThin(p.Gravity)
	f.computeResidual(p.DensityRatio)
	f.r2 = 0
	if dry {
		f.stopLower()
		f.r4 = 0
		f.viscosity, f.speed = vector[F]{}, 0
		return
	}
	h, q, speed := singleLayerViscosity(p.Gravity, l.h2, l.u2, r.h2, r.u2, f.u2, f.c2, f.dz2, f.r3, f.r4, p.DryDepth)
	f.viscosity, f.speed = vector[F]{h2: h, q2: q}, speed
}

// roeMeanThin is roeMean where thicknesses may be 0.
func (f *Face[F]) roeMeanThin(g F) {
	const film = 1e-12 // m: replaces a thickness of 0, by which roeMean would divide
	l, r := &f.l, &f.r
	h1l, h2l, h1r, h2r := l.h1, l.h2, r.h1, r.h2
	l.h1, l.h2, r.h1, r.h2 = num.Larger(h1l, film), num.Larger(h2l, film), num.Larger(h1r, film), num.Larger(h2r, film)
	f.roeMean(g)
	l.h1, l.h2, r.h1, r.h2 = h1l, h2l, h1r, h2r
}

// stopUpper sets the upper layer to rest on both sides: layers thinner than the dry depth do not flow.
func (f *Face[F]) stopUpper() {
	f.l.q1, f.l.u1, f.r.q1, f.r.u1 = 0, 0, 0, 0
}

// stopLower does the same for the lower layer.
func (f *Face[F]) stopLower() {
	f.l.q2, f.l.u2, f.r.q2, f.r.u2 = 0, 0, 0, 0
}

// singleLayerViscosity returns the viscosity of a single layer by the two-wave scheme of Harten, Lax, van Leer and
// Einfeldt: with these speeds thicknesses stay nonnegative, and a dry bed is flooded at the speed of its front, u +
// 2√(gh). The sides have thicknesses hl and hr and velocities ul and ur; u and c = gh are the Roe state, dz is the jump
// of the level, and (r1, r2) the residual. speed is that of the fastest wave.
func singleLayerViscosity[F num.Float](g, hl, ul, hr, ur, u, c, dz, r1, r2, dry F) (h, q, speed F) {
	cl, cr, s := num.Sqrt(g*hl), num.Sqrt(g*hr), num.Sqrt(c)
	l1, l2 := num.Smaller(ul-cl, u-s), num.Larger(ur+cr, u+s)
	if hr < dry && hl >= dry {
		l2 = ul + 2*cl
	}
	if hl < dry && hr >= dry {
		l1 = ur - 2*cr
	}
	l1, l2 = num.Smaller(l1, 0), num.Larger(l2, 0)
	w := 1 / (l2 - l1)
	b0, b1 := -2*l1*l2*w, (l2+l1)*w
	return b0*dz + b1*r1, b0*r1 + b1*r2, num.Larger(-l1, l2)
}
