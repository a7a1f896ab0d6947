package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
)

// Faces are the faces of one velocity component.
//
//atoll:constant
type Faces[F num.Float] struct {
	Lattice
	Fluids  Fluids[F]
	Axis    int32
	Across  int32 // stride along the axis
	Spacing F
	Gravity F // along the axis, in m/s²
	Lift    F // half the difference of the densities times gravity times the square of the spacing, in N/m
	Jumps   bool
	F       []F
	Jump    []F // in cells, if there are Jumps: see FindJump
	P       []F
	A       []F // coefficients of the pressure's equation
	V       []F
	Force   []F // the acceleration by gravity, surface tension and the pressure
}

// Exert replaces the acceleration of the last step, which the velocity contains, by that of surface tension and
// gravity. The force of surface tension is at faces, where the pressure's gradient is too, so that both can balance.
// The weight at a face is that of the mean of both cells if the interface is in the face. Elsewhere it is more or less
// by the jump, so that with it, too, the pressure's gradient is in balance if the interface is level, and follows a
// wave (as in the reduced gravity of Popinet, Annu. Rev. Fluid Mech. 50, 2018).
//
//atoll:kernel lanes
func Exert[F num.Float](i, j, k int, q *Faces[F], clock *Clock[F]) {
	c := q.at(i, j, k)
	below := c - int(q.Across)
	a := q.Gravity
	step := q.F[c] - q.F[below]
	if q.Jumps && step != 0 {
		force := jumpBetween(q.Jump[below], q.Jump[c], q.F[below], q.F[c], q.Lift) * step / (q.Spacing * q.Spacing)
		a += force / q.density(i, q.F[below], q.F[c])
	}
	q.V[c] += clock.Dt * (a - q.Force[c])
	q.Force[c] = a
}

// density is that at a face between cells with the fractions f and g: its mass for its volume.
func (q *Faces[F]) density(i int, f, g F) F {
	v := q.Fluids.between(f, g)
	if q.Rings && q.Axis == 0 {
		v = q.Fluids.mass(&q.Lattice, true, i, f, g) / area[F](&q.Lattice, 0, i)
	}
	return v
}

// Sides are the faces in the sides of the grid across an axis: the index of the first one and that of the last one,
// and whether the pressure is 0 there. A periodic axis has none: First is far below 0.
//
//atoll:constant
type Sides struct {
	First, Last         int32
	FirstOpen, LastOpen bool
}

// Couple computes the coefficient 1/ρ of a face in the pressure's equation: 0 in a side, or twice that of the cell if
// the pressure is 0 in the side. In axisymmetric flow it is times the area, and the equation that of the flow out of a
// ring, so that the matrix is symmetric.
//
//atoll:kernel
func Couple[F num.Float](i, j, k int, q *Faces[F], s *Sides) {
	c := q.at(i, j, k)
	below := c - int(q.Across)
	at := int32(i)
	if q.Axis == 1 {
		at = int32(j)
	} else if q.Axis == 2 {
		at = int32(k)
	}
	v := 1 / q.density(i, q.F[below], q.F[c])
	if at == s.First {
		v = 0
		if s.FirstOpen {
			v = 2 / q.Fluids.density(q.F[c])
		}
	} else if at == s.Last {
		v = 0
		if s.LastOpen {
			v = 2 / q.Fluids.density(q.F[below])
		}
	}
	if q.Rings {
		v *= area[F](&q.Lattice, q.Axis, i)
	}
	q.A[c] = v
}

// SetPressureTolerance sets the tolerance of the residual so that |∇·u| dt is at most the given number.
//
//atoll:kernel
func SetPressureTolerance[F num.Float](i int, tolerance float64, clock *Clock[F], it *levels.Iteration) {
	it.Tolerance = tolerance / (float64(clock.PerCell) * float64(clock.PerCell))
}

// Diverge computes the right-hand side of the pressure's equation from the velocity's divergence.
//
//atoll:kernel lanes
func Diverge[F num.Float](i, j, k int, l *Lattice, clock *Clock[F], u, v, w, b []F) {
	c := l.at(i, j, k)
	sum := u[c+1] - u[c] + (v[c+int(l.SY)] - v[c])
	if l.Dim == 3 {
		sum += w[c+int(l.SZ)] - w[c]
	}
	if l.Rings {
		sum = outOfRing(l, i, c, u, v)
	}
	b[c] = -sum / clock.PerCell
}

// outOfRing is the flow out of a ring.
func outOfRing[F num.Float](l *Lattice, i, c int, u, v []F) F {
	r := radius[F](l, i)
	return u[c+1]*(r+0.5) - u[c]*(r-0.5) + (v[c+int(l.SY)]-v[c])*r
}

// Project subtracts the pressure's gradient from the velocity V, to the new velocity out.
//
//atoll:kernel lanes
func Project[F num.Float](i, j, k int, q *Faces[F], clock *Clock[F], out []F) {
	c := q.at(i, j, k)
	a := q.A[c] * (q.P[c] - q.P[c-int(q.Across)]) / q.Spacing
	if q.Rings { // the coefficient on the axis is 0
		a /= num.Larger(area[F](&q.Lattice, q.Axis, i), 0.5)
	}
	q.Force[c] -= a
	out[c] = q.V[c] - clock.Dt*a
}

// Divergence returns the magnitude of the velocity's divergence in a cell, times the spacing.
//
//atoll:kernel lanes max
func Divergence[F num.Float](i, j, k int, l *Lattice, u, v, w []F) F {
	c := l.at(i, j, k)
	sum := u[c+1] - u[c] + (v[c+int(l.SY)] - v[c])
	if l.Dim == 3 {
		sum += w[c+int(l.SZ)] - w[c]
	}
	if l.Rings {
		sum = outOfRing(l, i, c, u, v) / radius[F](l, i)
	}
	return num.Abs(sum)
}
