package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/eigen"
)

// Face is an edge as the schemes see it, in the frame of its normal. A flux takes four stages: LoadSides, Waves between
// the sides, the Viscosity of a scheme (PVM or Roe), and WriteFluxes.
type Face[F num.Float] struct {
	l, r     side[F]
	thin     bool // a layer is absent on a side
	sloped   bool // the sides are reconstructed at the edge's middle, second order
	contacts bool // tangential flux by contact waves

	dz1, dz2       F // jumps of surface and interface
	u1, u2, c1, c2 F // Roe mean velocities, g times the mean thicknesses
	g1, g2, w1, w2 F // weights of the right side in a Roe mean, and one over the sum of both weights
	r1, r2, r3, r4 F // residual: A ΔW - S Δdepth

	waves     eigen.Values[F]
	viscosity vector[F]
	speed     F // of the fastest wave
}

// side is the state at one side of an edge, in the frame of the normal: for each layer thickness h, normal mass flow q,
// normal velocity u, tangential velocity t; and depth of the bed and area of the cell.
type side[F num.Float] struct {
	h1, q1, u1, t1 F
	h2, q2, u2, t2 F
	depth, area    F

	// levels; with two layers at first order they are computed only at edges where a layer is absent, and at outlets
	z1, z2 F

	mean1, mean2, bed F // thicknesses of the cell, and its bed's depth; at first order they are h1, h2 and depth
	share1, share2    F // see Slopes
	free1, free2      F // normal velocities that a dry neighbour has not set to 0
}

// vector holds one number for each of (h1, q1, h2, q2) in the frame of the normal.
type vector[F num.Float] struct{ h1, q1, h2, q2 F }

// rotate sets the side to a cell's state in the frame of the normal (nx, ny). t holds the tangential mass flow until
// it is divided by h.
func (s *side[F]) rotate(scheme Scheme, w *State[F], bed *Bed[F], nx, ny F) {
	s.depth, s.area = bed.Depth, bed.Area
	if scheme != OneLayer {
		s.h1, s.q1, s.t1 = w.H1, w.Q1x*nx+w.Q1y*ny, w.Q1y*nx-w.Q1x*ny
	}
	s.h2, s.q2, s.t2 = w.H2, w.Q2x*nx+w.Q2y*ny, w.Q2y*nx-w.Q2x*ny
}

// computeLevels computes the levels of a side with the state of its cell.
func (s *side[F]) computeLevels() {
	s.z2 = s.h2 - s.depth
	s.z1 = s.h1 + s.z2
}

// thin reports whether a layer is absent.
func (s *side[F]) thin(dry F) bool { return s.h1 < dry || s.h2 < dry }

// velocities computes the velocities of both sides if both layers are present, with one division.
func (f *Face[F]) velocities() {
	l, r := &f.l, &f.r
	hl, hr := l.h1*l.h2, r.h1*r.h2
	all := 1 / (hl * hr)
	hl, hr = hr*all, hl*all // now 1/(h1 h2) of each side
	v1, v2 := l.h2*hl, l.h1*hl
	l.u1, l.t1, l.u2, l.t2 = l.q1*v1, l.t1*v1, l.q2*v2, l.t2*v2
	v1, v2 = r.h2*hr, r.h1*hr
	r.u1, r.t1, r.u2, r.t2 = r.q1*v1, r.t1*v1, r.q2*v2, r.t2*v2
}

// thinVelocities computes the velocities of a side on which a layer may be absent, and the resulting mass flows.
func (s *side[F]) thinVelocities(dry F) {
	s.u1, s.t1 = velocity(s.h1, s.q1, dry), velocity(s.h1, s.t1, dry)
	s.q1 = s.h1 * s.u1
	s.thinVelocityLower(dry)
}

// thinVelocityLower does so for the lower layer.
func (s *side[F]) thinVelocityLower(dry F) {
	s.u2, s.t2 = velocity(s.h2, s.q2, dry), velocity(s.h2, s.t2, dry)
	s.q2 = s.h2 * s.u2
}

// velocity returns q/h, tending to 0 with h if the layer is thinner than dry.
func velocity[F num.Float](h, q, dry F) F {
	if h <= 0 && h < dry {
		return 0
	}
	top, bottom := q, h
	if h < dry {
		top, bottom = 2*h*q, h*h+dry*dry
	}
	return top / bottom // one division, since vectors and GPUs take both branches
}

// mirror makes s the state behind a wall: the same water with its normal velocity reversed.
func (s *side[F]) mirror() {
	s.q1, s.u1, s.q2, s.u2 = -s.q1, -s.u1, -s.q2, -s.u2
}

// levelJumps computes the jumps of surface and interface if both layers are present.
func (f *Face[F]) levelJumps() {
	z2l, z2r := f.l.h2-f.l.depth, f.r.h2-f.r.depth
	f.dz2 = z2r - z2l
	f.dz1 = (f.r.h1 + z2r) - (f.l.h1 + z2l)
}

// roeMean fills the Roe state from the sides, whose thicknesses must be positive: the mean of velocities weighted by
// √h, with both weights multiplied by that of the left side.
func (f *Face[F]) roeMean(g F) {
	l, r := &f.l, &f.r
	f.g1, f.g2 = num.Sqrt(l.h1*r.h1), num.Sqrt(l.h2*r.h2)
	s1, s2 := l.h1+f.g1, l.h2+f.g2
	both := 1 / (s1 * s2)
	f.w1, f.w2 = s2*both, s1*both
	f.u1 = (l.h1*l.u1 + f.g1*r.u1) * f.w1
	f.u2 = (l.h2*l.u2 + f.g2*r.u2) * f.w2
	f.c1 = g * ((l.h1 + r.h1) / 2)
	f.c2 = g * ((l.h2 + r.h2) / 2)
}

// computeResidual fills the residual from the Roe state and the jumps of levels. In this form, with pressure and bed as
// jumps of levels, it vanishes exactly in a lake at rest.
func (f *Face[F]) computeResidual(ratio F) {
	l, r := &f.l, &f.r
	f.r1 = r.q1 - l.q1
	f.r2 = (r.q1*r.u1 - l.q1*l.u1) + f.c1*f.dz1
	f.r3 = r.q2 - l.q2
	f.r4 = (r.q2*r.u2 - l.q2*l.u2) + f.c2*(ratio*f.dz1+(1-ratio)*f.dz2)
}

// applyRoeMatrix returns A v with the Roe matrix A of the face.
func (f *Face[F]) applyRoeMatrix(r F, v vector[F]) vector[F] {
	return vector[F]{
		v.q1,
		(f.c1-f.u1*f.u1)*v.h1 + 2*f.u1*v.q1 + f.c1*v.h2,
		v.q2,
		r*f.c2*v.h1 + (f.c2-f.u2*f.u2)*v.h2 + 2*f.u2*v.q2,
	}
}

// stateJump returns ΔW minus the jump at rest caused by the bed, A⁻¹S Δdepth: zero in a lake at rest.
func (f *Face[F]) stateJump() vector[F] { return vector[F]{f.dz1 - f.dz2, f.r1, f.dz2, f.r3} }

// residual returns the residual of the face as a vector.
func (f *Face[F]) residual() vector[F] { return vector[F]{f.r1, f.r2, f.r3, f.r4} }
