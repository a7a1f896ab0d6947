package kernels

// dry finds the viscosity and the fastest wave of a face where a layer is absent on a side. All schemes share it.
//
// A level counts only as far as it stands above what its layer would have to climb: the higher bed for the interface,
// and where the upper layer ends, the higher interface for the surface. Where even that is out of reach, the step is
// a wall to the layer. With a layer absent on both sides the other one is alone.
func (f *Face[F]) dry(p *Params[F]) {
	const film = 1e-12 // m: what stands for no water at all, so that every mean has a meaning
	l, r := &f.l, &f.r
	l.h1, l.h2, r.h1, r.h2 = larger(l.h1, film), larger(l.h2, film), larger(r.h1, film), larger(r.h2, film)
	absent1l, absent1r := l.h1 < p.DryDepth, r.h1 < p.DryDepth
	absent2l, absent2r := l.h2 < p.DryDepth, r.h2 < p.DryDepth

	z2l, z2r := l.h2-l.depth, r.h2-r.depth
	z1l, z1r := l.h1+z2l, r.h1+z2r
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
	bed := -smaller(l.depth, r.depth)
	z2l, z2r = larger(z2l, bed), larger(z2r, bed)
	f.dz2 = z2r - z2l
	if absent1l || absent1r {
		top := larger(z2l, z2r)
		z1l, z1r = larger(z1l, top), larger(z1r, top)
	}
	f.dz1 = z1r - z1l

	if absent1l && absent1r {
		f.absent1()
		f.dz1 = f.dz2
		f.mean(p.Gravity)
		f.jumps(p.DensityRatio)
		if absent2l && absent2r {
			f.absent2()
			f.viscosity, f.speed = vector[F]{}, 0
			return
		}
		h, q, speed := alone(f.u2, f.c2, f.dz2, f.r3, f.r4, p.EntropyFix)
		f.viscosity, f.speed = vector[F]{h2: h, q2: q}, speed
		return
	}
	if absent2l && absent2r {
		f.absent2()
		f.dz2 = 0
		f.mean(p.Gravity)
		f.jumps(p.DensityRatio)
		f.r4 = 0
		h, q, speed := alone(f.u1, f.c1, f.dz1, f.r1, f.r2, p.EntropyFix)
		f.viscosity, f.speed = vector[F]{h1: h, q1: q}, speed
		return
	}
	f.mean(p.Gravity)
	f.jumps(p.DensityRatio)
	f.waves.solve(f.u1, f.u2, f.c1, f.c2, p.DensityRatio, p.Tolerance)
	f.speed = f.waves.fastest()
	f.pvm(p.DensityRatio)
}

// absent1 stops the upper layer on both sides: what is thinner than dry stays where it is.
func (f *Face[F]) absent1() {
	f.l.q1, f.l.u1, f.r.q1, f.r.u1 = 0, 0, 0, 0
}

func (f *Face[F]) absent2() {
	f.l.q2, f.l.u2, f.r.q2, f.r.u2 = 0, 0, 0, 0
}

// alone is the viscosity of a single layer, whose eigenvalues are u ± √c: the line through both |λ|, with Harten's fix.
func alone[F Float](u, c, dz, r1, r2, fix F) (h, q, speed F) {
	s := sqrt(c)
	l1, l2 := u-s, u+s
	eps := fix * (2 * s)
	a1, a2 := abs(l1)+harten(l1, eps), abs(l2)+harten(l2, eps)
	w := 1 / (2 * s)
	b0, b1 := (l2*a1-l1*a2)*w, (a2-a1)*w
	return b0*dz + b1*r1, b0*r1 + b1*r2, abs(u) + s
}
