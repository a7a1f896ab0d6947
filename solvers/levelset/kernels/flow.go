package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Flow is the velocity through the lower faces of cells, at a factor of 1.
//
//atoll:constant
type Flow[F num.Float] struct {
	Lattice Lattice[F]
	U, V, W []F // W is empty in the plane
}

// velocity interpolates each component linearly between its own faces, so that it is 0 on a face with velocity 0.
func (s *Flow[F]) velocity(x, y, z F) (u, v, w F) {
	l := &s.Lattice
	i, fx := splitCoordinate(x)
	j, fy := splitCoordinate(y)
	k, fz := splitCoordinate(z)
	// Faces are half a cell below centres. Particles are on either side of centres at random, so that branches would be
	// mispredicted.
	a, b := int(fx+0.5), int(fy+0.5)
	c := l.index(i, j, k)
	cu, cv := c+a, c+b*l.SY
	px, py := fx+(0.5-F(a)), fy+(0.5-F(b))
	if l.Dim == 2 {
		return bilinear(s.U, cu, l.SY, px, fy), bilinear(s.V, cv, l.SY, fx, py), 0
	}
	d := int(fz + 0.5)
	cw, pz := c+d*l.SZ, fz+(0.5-F(d))
	u = trilinear(s.U, cu, l.SY, l.SZ, px, fy, fz)
	v = trilinear(s.V, cv, l.SY, l.SZ, fx, py, fz)
	w = trilinear(s.W, cw, l.SY, l.SZ, fx, fy, pz)
	return u, v, w
}

// centreVelocity is the velocity at the centre of a cell.
func (s *Flow[F]) centreVelocity(c int) (u, v, w F) {
	u = (s.U[c] + s.U[c+1]) / 2
	v = (s.V[c] + s.V[c+s.Lattice.SY]) / 2
	if s.Lattice.Dim == 3 {
		w = (s.W[c] + s.W[c+s.Lattice.SZ]) / 2
	}
	return u, v, w
}

// SemiLagrangian traces cell (i, j, k) back over a step and gives it the level set there: a semi-Lagrangian step of
// second order in time.
//
//atoll:kernel
func SemiLagrangian[F num.Float](i, j, k int, s *Flow[F], clock *Clock[F], from, to []F) {
	l := &s.Lattice
	c := l.index(i, j, k)
	u, v, w := s.centreVelocity(c)
	x, y, z := F(i)-clock.Back[0]*u, F(j)-clock.Back[1]*v, F(k)-clock.Back[2]*w
	u, v, w = s.velocity(x, y, z)
	p, fx := splitCoordinate(F(i) - clock.Whole[0]*u)
	q, fy := splitCoordinate(F(j) - clock.Whole[1]*v)
	r, fz := splitCoordinate(F(k) - clock.Whole[2]*w)
	to[c] = l.interpolate(from, l.index(p, q, r), fx, fy, fz)
}

// WENOStage is a stage of Shu and Osher's RK3 for the advection of a level set, with WENO differences of fifth
// order: to = (1-weight)·start + weight·(from + dt·L(from)).
//
//atoll:kernel lanes
func WENOStage[F num.Float](i, j, k int, s *Flow[F], clock *Clock[F], stage int32, weight F, start, from, to []F) {
	l := &s.Lattice
	c := l.index(i, j, k)
	u, v, w := s.centreVelocity(c)
	change := upwindDifference(from, c, 1, clock.Stage[stage][0]*u) + upwindDifference(from, c, l.SY,
		clock.Stage[stage][1]*v)
	if l.Dim == 3 {
		change += upwindDifference(from, c, l.SZ, clock.Stage[stage][2]*w)
	}
	to[c] = (1-weight)*start[c] + weight*(from[c]-change)
}

// upwindDifference returns the Courant number along an axis times the upwind difference.
func upwindDifference[F num.Float](f []F, c, stride int, courant F) F {
	if courant == 0 {
		return 0
	}
	if courant > 0 {
		return courant * lowerSlope(f, c, stride)
	}
	return courant * upperSlope(f, c, stride)
}
