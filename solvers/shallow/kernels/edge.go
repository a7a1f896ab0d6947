package kernels

import (
	"sync/atomic"
)

// FluxPVM computes the flux of edge e by the PVM-IFCP scheme, equations (4) and (5).
//
//atoll:kernel
func FluxPVM[F Float](e int, p *Params[F], m *Mesh[F], clock *Clock[F], w []State[F], out []Flux[F], n *Counters) {
	var f face[F]
	var v vector[F]
	var speed F
	if f.look(e, p, m, w) {
		v, speed = f.dry(p)
	} else {
		f.mean(p.Gravity)
		f.jumps(p.DensityRatio)
		ev := eigenvalues(f.u1, f.u2, f.c1, f.c2, p.DensityRatio, p.Tolerance)
		count(ev.Complex, e, m, n)
		v, speed = pvm(&f, p.DensityRatio, &ev), larger(-ev.L1, ev.L4)
	}
	f.split(e, p, m, clock, &v, speed, false, out, n)
}

// FluxIRRoe computes the flux of edge e by the IR-Roe scheme (section 2.2): Roe's method on the 4×4 system of the
// normal direction, the tangential velocities carried by the mass fluxes.
//
//atoll:kernel
func FluxIRRoe[F Float](e int, p *Params[F], m *Mesh[F], clock *Clock[F], w []State[F], out []Flux[F], n *Counters) {
	var f face[F]
	var v vector[F]
	var speed F
	if f.look(e, p, m, w) {
		v, speed = f.dry(p)
	} else {
		f.mean(p.Gravity)
		f.jumps(p.DensityRatio)
		ev := eigenvalues(f.u1, f.u2, f.c1, f.c2, p.DensityRatio, p.Tolerance)
		count(ev.Complex, e, m, n)
		v, speed = roe(&f, p, &ev), larger(-ev.L1, ev.L4)
	}
	f.split(e, p, m, clock, &v, speed, false, out, n)
}

// FluxRoe computes the flux of edge e by the classical Roe scheme (section 2.1) on the 6×6 system. In the frame of
// the normal its matrix splits exactly into the 4×4 one and two contact waves, of speeds u1 and u2.
//
//atoll:kernel
func FluxRoe[F Float](e int, p *Params[F], m *Mesh[F], clock *Clock[F], w []State[F], out []Flux[F], n *Counters) {
	var f face[F]
	var v vector[F]
	var speed F
	contacts := true
	if f.look(e, p, m, w) {
		v, speed = f.dry(p)
		contacts = false
	} else {
		f.mean(p.Gravity)
		f.jumps(p.DensityRatio)
		ev := eigenvalues(f.u1, f.u2, f.c1, f.c2, p.DensityRatio, p.Tolerance)
		count(ev.Complex, e, m, n)
		v, speed = roe(&f, p, &ev), larger(-ev.L1, ev.L4)
	}
	f.split(e, p, m, clock, &v, speed, contacts, out, n)
}

// look fills the sides and levels of edge e, and tells whether a layer is absent on a side.
func (f *face[F]) look(e int, p *Params[F], m *Mesh[F], w []State[F]) bool {
	ed := &m.Edges[e]
	thin := f.l.look(&w[ed.Left], m.Sites[ed.Left].Depth, ed.Nx, ed.Ny, p.DryDepth)
	if ed.Right >= 0 {
		if f.r.look(&w[ed.Right], m.Sites[ed.Right].Depth, ed.Nx, ed.Ny, p.DryDepth) {
			thin = true
		}
	} else if ed.Right == Wall {
		f.r = f.l.mirror()
	} else {
		f.r = f.l
	}
	f.levels()
	return thin
}

// count counts a complex pair once, on the rank that owns the edge's left cell.
func count[F Float](is bool, e int, m *Mesh[F], n *Counters) {
	if is && m.Edges[e].Left < m.Owned {
		atomic.AddInt64(&n.ComplexEdges, 1)
	}
}

// split writes the flux of edge e from the viscosity v: Φ∓ = (R ∓ v)/2 ± F(W), F without the hydrostatic part, which
// cancels over a closed cell.
func (f *face[F]) split(e int, p *Params[F], m *Mesh[F], clock *Clock[F], v *vector[F], speed F, contacts bool,
	out []Flux[F], n *Counters) {
	ed := &m.Edges[e]
	l, r := &f.l, &f.r
	m1, m2 := (l.q1+r.q1-v.h1)/2, (l.q2+r.q2-v.h2)/2
	if ed.Right == Wall {
		m1, m2 = 0, 0
	}
	var t1, t2 F
	if contacts {
		t1 = contact(l.q1, l.t1, l.h1, r.q1, r.t1, r.h1, f.u1, v.h1)
		t2 = contact(l.q2, l.t2, l.h2, r.q2, r.t2, r.h2, f.u2, v.h2)
		if ed.Right == Wall {
			t1, t2 = 0, 0
		}
	} else {
		t1, t2 = carried(m1, l.t1, r.t1), carried(m2, l.t2, r.t2)
	}
	s1 := f.share(e, m1, 1, p, m, clock, n)
	s2 := f.share(e, m2, 2, p, m, clock, n)
	m1, t1, m2, t2 = m1*s1, t1*s1, m2*s2, t2*s2

	n1l, n1r := (f.r2-v.q1)/2+l.q1*l.u1, (f.r2+v.q1)/2-r.q1*r.u1
	n2l, n2r := (f.r4-v.q2)/2+l.q2*l.u2, (f.r4+v.q2)/2-r.q2*r.u2
	x, y, length := ed.Nx, ed.Ny, ed.Length
	out[e] = Flux[F]{
		M1: m1 * length, M2: m2 * length, Speed: speed * length,
		LX1: (n1l*x - t1*y) * length, LY1: (n1l*y + t1*x) * length,
		RX1: (n1r*x + t1*y) * length, RY1: (n1r*y - t1*x) * length,
		LX2: (n2l*x - t2*y) * length, LY2: (n2l*y + t2*x) * length,
		RX2: (n2r*x + t2*y) * length, RY2: (n2r*y - t2*x) * length,
	}
}

// carried is the tangential mass flow that the mass flux m brings with it from upwind.
func carried[F Float](m, tl, tr F) F {
	if m > 0 {
		return m * tl
	}
	return m * tr
}

// contact is the tangential flux of the 6×6 system: Roe's method on the contact wave of speed u, with v the viscosity
// of the mass.
func contact[F Float](ql, tl, hl, qr, tr, hr, u, v F) F {
	sl, sr := sqrt(hl), sqrt(hr)
	t := (sl*tl + sr*tr) / (sl + sr)
	jump := qr*tr - ql*tl
	return (jump-(t*v+sign(u)*(jump-t*(qr-ql))))/2 + ql*tl
}

// share is the part of layer k's mass flux that the upwind cell can give within the time step: all of it, or less
// where the layer is thinner than the step it stands on; then each of the cell's three edges has a third to give.
func (f *face[F]) share(e int, flux F, k int, p *Params[F], m *Mesh[F], clock *Clock[F], n *Counters) F {
	ed := &m.Edges[e]
	up, cell := &f.l, ed.Left
	if flux < 0 {
		up, cell = &f.r, ed.Right
	}
	if flux == 0 || cell < 0 {
		return 1
	}
	h, step := up.h1, abs(f.dz2)
	if k == 2 {
		h, step = up.h2, abs(f.l.depth-f.r.depth)
	}
	give := F(0.99999)
	if h < 2*step || h < 4*p.DryDepth {
		give = F(0.33333)
	}
	most := give * larger(h, 0) * m.Sites[cell].Area
	want := abs(flux) * ed.Length * clock.Dt
	if want <= most {
		return 1
	}
	if ed.Left < m.Owned {
		atomic.AddInt64(&n.LimitedFluxes, 1)
	}
	return most / want
}
