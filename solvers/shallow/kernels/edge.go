package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Scheme is a finite volume scheme.
type Scheme int32

const (
	// PVM is PVM-IFCP, equations (4) and (5).
	PVM Scheme = iota
	// IRRoe is Roe's method on the 4×4 system of the normal direction, the tangential velocities carried by the mass
	// fluxes (section 2.2).
	IRRoe
	// Roe is the classical Roe scheme on the 6×6 system (section 2.1). In the frame of the normal its matrix splits
	// exactly into the 4×4 one and two contact waves, of speeds u1 and u2.
	Roe
	// OneLayer is what the other schemes are where neither side has an upper layer, for runs that have none.
	OneLayer
)

// EdgeFlux computes the fluxes of edge e by a scheme: in a run of one layer only that of the lower one.
//
//atoll:kernel lanes=PVM,OneLayer stages=32 scheme=PVM,IRRoe,Roe,OneLayer
func EdgeFlux[F num.Float](e int, scheme Scheme, p *Params[F], m *Mesh[F], clock *Clock[F], w []State[F],
	lower, upper []Flux[F], n *Counters) {
	var f Face[F]
	f.LoadSides(scheme, m.EdgeCells[e], &m.Normals[e], p, m.Beds, w)
	f.Waves(scheme, p)
	f.Viscosity(scheme, p)
	f.WriteFluxes(scheme, m.EdgeCells[e], &m.Normals[e], p, &m.Boundary,
		m.Local.Across(m.EdgeCells[e].Left, m.EdgeCells[e].inner(), clock.Dt), m.EdgeCells[e].Left < m.Owned, m.FluxAt[e],
		lower, upper, n)
}

// LoadSides fills the sides of an edge from the states of its cells, the jumps and the Roe state. Both sides are read
// before either is used, so that a GPU waits for memory once.
func (f *Face[F]) LoadSides(scheme Scheme, at EdgeCells, n *Normal[F], p *Params[F], beds []Bed[F], w []State[F]) {
	right := at.inner()
	f.l.rotate(scheme, &w[at.Left], &beds[at.Left], n.X, n.Y)
	f.r.rotate(scheme, &w[right], &beds[right], n.X, n.Y)
	if scheme == OneLayer {
		f.l.computeLevels()
		f.r.computeLevels()
		f.l.thinVelocityLower(p.DryDepth)
		f.r.thinVelocityLower(p.DryDepth)
		if at.Right == Wall {
			f.r.mirror()
		}
		return
	}
	f.thin = f.l.thin(p.DryDepth) || f.r.thin(p.DryDepth)
	if f.thin || at.Right <= FirstOutlet {
		f.l.computeLevels()
		f.r.computeLevels()
	}
	//atoll:seldom
	if f.thin {
		f.l.thinVelocities(p.DryDepth)
		f.r.thinVelocities(p.DryDepth)
	} else {
		f.velocities()
	}
	if at.Right == Wall {
		f.r.mirror()
	}
	//atoll:mostly
	if !f.thin {
		f.levelJumps()
		f.roeMean(p.Gravity)
		f.computeResidual(p.DensityRatio)
	}
}

// Waves computes the eigenvalues of a face with both layers on both sides.
func (f *Face[F]) Waves(scheme Scheme, p *Params[F]) {
	if scheme != OneLayer {
		//atoll:mostly
		if !f.thin {
			f.waves.Solve(f.u1, f.u2, f.c1, f.c2, p.DensityRatio, p.Tolerance)
			f.speed = f.waves.Fastest()
		}
	}
}

// Viscosity computes the viscosity of the scheme. A face with a thin layer uses that of PVM-IFCP.
func (f *Face[F]) Viscosity(scheme Scheme, p *Params[F]) {
	if scheme == OneLayer {
		f.viscosityOfOneLayer(p)
		return
	}
	f.contacts = scheme == Roe && !f.thin
	//atoll:seldom
	switch {
	case f.thin:
		f.dryViscosity(p)
	case scheme == PVM:
		f.pvm(p.DensityRatio)
	default:
		f.roe(p)
	}
}

// WriteFluxes writes the fluxes of an edge to position to of those of all edges: see fluxes.
func (f *Face[F]) WriteFluxes(scheme Scheme, at EdgeCells, normal *Normal[F], p *Params[F], boundary *Boundary[F], dt F,
	own bool, to int32, lower, upper []Flux[F], n *Counters) {
	l, u := f.fluxes(scheme, at, normal, p, boundary, dt, own, n)
	lower[to] = l
	if scheme != OneLayer {
		upper[to] = u
	}
	if at.Right <= FirstOutlet {
		boundary.addOutflow(at, dt, u.M, l.M)
	}
}

// fluxes returns the fluxes of an edge from the viscosity v: Φ∓ = (R ∓ v)/2 ± F(W), F without the hydrostatic part,
// which cancels over a closed cell. The tangential flux is that of contact waves, or carried by the mass. Where two
// ranks or tiles compute the same edge, only the one for which it is own updates the counters. In one piece: the
// fluxes of both layers share their limits.
func (f *Face[F]) fluxes(scheme Scheme, at EdgeCells, normal *Normal[F], p *Params[F], boundary *Boundary[F], dt F,
	own bool, n *Counters) (lower, upper Flux[F]) {
	//atoll:seldom
	if scheme == OneLayer && at.Right <= FirstOutlet {
		lower = f.outletFlux(at, normal, p, boundary, dt, own, n)
		return lower, upper
	}
	l, r, v, length := &f.l, &f.r, &f.viscosity, normal.Length
	if f.waves.Complex && !f.thin && own {
		atomic.AddInt64(&n.ComplexEdges, 1)
	}
	m1, m2 := (l.q1+r.q1-v.h1)/2, (l.q2+r.q2-v.h2)/2
	if at.Right == Wall {
		m1, m2 = 0, 0
	}
	var t1, t2 F
	if f.contacts {
		t1 = contact(l.q1, l.t1, r.q1, r.t1, f.u1, (l.h1*l.t1+f.g1*r.t1)*f.w1, v.h1)
		t2 = contact(l.q2, l.t2, r.q2, r.t2, f.u2, (l.h2*l.t2+f.g2*r.t2)*f.w2, v.h2)
		if at.Right == Wall {
			t1, t2 = 0, 0
		}
	} else {
		t1, t2 = carried(m1, l.t1, r.t1), carried(m2, l.t2, r.t2)
	}
	n1l, n1r := (f.r2-v.q1)/2+l.q1*l.u1, (f.r2+v.q1)/2-r.q1*r.u1
	n2l, n2r := (f.r4-v.q2)/2+l.q2*l.u2, (f.r4+v.q2)/2-r.q2*r.u2
	if f.sloped {
		d1, d2 := f.shear(scheme, length, p)
		t1, t2 = t1-d1, t2-d2
	}
	if scheme != OneLayer {
		s := f.supplied1(at, m1, length, dt, p)
		n1l, n1r = limitMomentum(n1l, n1r, m1, s < 1, l.h1, l.u1, r.h1, r.u1, num.Abs(f.dz1), p)
		if s < 1 {
			m1, t1, n1l, n1r = m1*s, t1*s, n1l*s, n1r*s
			if own {
				atomic.AddInt64(&n.LimitedFluxes, 1)
			}
		}
	}
	s := f.supplied2(scheme, at, m2, length, dt, p)
	if scheme != OneLayer || !f.sloped {
		jump := num.Larger(num.Abs(f.dz1), num.Abs(f.dz2))
		n2l, n2r = limitMomentum(n2l, n2r, m2, s < 1, l.h2, l.u2, r.h2, r.u2, jump, p)
	}
	if s < 1 {
		m2, t2, n2l, n2r = m2*s, t2*s, n2l*s, n2r*s
		if own {
			atomic.AddInt64(&n.LimitedFluxes, 1)
		}
	}
	x, y := normal.X*length, normal.Y*length
	lower = Flux[F]{M: m2 * length, Speed: f.speed * length, Side: [2]Vec2[F]{
		{n2l*x - t2*y, n2l*y + t2*x}, {n2r*x + t2*y, n2r*y - t2*x}}}
	if scheme != OneLayer {
		upper = Flux[F]{M: m1 * length, Side: [2]Vec2[F]{
			{n1l*x - t1*y, n1l*y + t1*x}, {n1r*x + t1*y, n1r*y - t1*x}}}
	}
	return lower, upper
}

// carried returns the tangential mass flow that the mass flux m advects from upwind.
func carried[F num.Float](m, tl, tr F) F {
	if m > 0 {
		return m * tl
	}
	return m * tr
}

// contact returns the tangential flux of the 6×6 system: Roe's method for the contact wave of speed u, with t the Roe
// mean of the tangential velocity and v the viscosity of the mass.
func contact[F num.Float](ql, tl, qr, tr, u, t, v F) F {
	jump := qr*tr - ql*tl
	return (jump-(t*v+num.Sign(u)*(jump-t*(qr-ql))))/2 + ql*tl
}

// limitMomentum bounds the normal momentum that a film, a layer thinner than ten times the dry depth, gains or gives:
// what the mass m carries from upwind, plus or minus the speed of a front on a dry bed relative to the water behind it,
// 2√(gh), and the pressure of the level's jump on the film's own thickness. Without it the mean thickness of the face
// would let a deep neighbour accelerate the film, and a draining film would keep its momentum. It bounds in the same
// way a layer of any thickness whose mass flux was limited: else the layer would keep its momentum while it loses mass,
// and accelerate.
func limitMomentum[F num.Float](nl, nr, m F, limited bool, hl, ul, hr, ur, jump F, p *Params[F]) (F, F) {
	film := 10 * p.DryDepth
	left, right := hl < film || limited && m > 0, hr < film || limited && m < 0
	if !left && !right {
		return nl, nr
	}
	carried, spread := m*ul, m*(2*num.Sqrt(p.Gravity*hl))
	if m < 0 {
		carried, spread = m*ur, -m*(2*num.Sqrt(p.Gravity*hr))
	}
	if left {
		most := spread + p.Gravity*hl*jump
		nl = num.Larger(carried-most, num.Smaller(nl, carried+most))
	}
	if right {
		most := spread + p.Gravity*hr*jump
		nr = num.Larger(-carried-most, num.Smaller(nr, -carried+most))
	}
	return nl, nr
}
