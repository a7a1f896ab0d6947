package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
)

// Viscous is the viscous stress on the volumes of one velocity component, ∇·μ(∇v + ∇vᵀ), with μ of cells and, at
// edges, of the mean of four cells.
//
//atoll:constant
type Viscous[F num.Float] struct {
	Lattice
	Fluids        Fluids[F]
	Across        int32 // stride along the component's axis
	First, Second int32 // strides along the other axes
	F             []F   // volume fraction
	V             []F   // the component
	VFirst        []F   // the other ones
	VSecond       []F
}

// stress is the force on the volume of face c, times the square of the spacing.
func (q *Viscous[F]) stress(c int) F {
	a := int(q.Across)
	normal := q.Fluids.viscosity(q.F[c])*(q.V[c+a]-q.V[c]) - q.Fluids.viscosity(q.F[c-a])*(q.V[c]-q.V[c-a])
	sum := 2*normal + q.shear(c, int(q.First), q.VFirst)
	if q.Dim == 3 {
		sum += q.shear(c, int(q.Second), q.VSecond)
	}
	return sum
}

// shear is the part of the edges at distance s along another axis, whose velocity component is w.
func (q *Viscous[F]) shear(c, s int, w []F) F {
	a := int(q.Across)
	upper := q.edge(c+s, s) * (q.V[c+s] - q.V[c] + (w[c+s] - w[c+s-a]))
	lower := q.edge(c, s) * (q.V[c] - q.V[c-s] + (w[c] - w[c-a]))
	return upper - lower
}

// edge is the viscosity at the lower edge of cell c.
func (q *Viscous[F]) edge(c, s int) F {
	a := int(q.Across)
	return q.Fluids.viscosity(0.25 * (q.F[c] + q.F[c-a] + (q.F[c-s] + q.F[c-a-s])))
}

// diagonal is the coefficient of V[c] in -stress.
func (q *Viscous[F]) diagonal(c int) F {
	a, s := int(q.Across), int(q.First)
	sum := 2*(q.Fluids.viscosity(q.F[c])+q.Fluids.viscosity(q.F[c-a])) + q.edge(c+s, s) + q.edge(c, s)
	if q.Dim == 3 {
		s = int(q.Second)
		sum += q.edge(c+s, s) + q.edge(c, s)
	}
	return sum
}

// LookAhead computes the change of a velocity in half a step by the acceleration of the last step, and by viscosity.
//
//atoll:kernel lanes
func LookAhead[F num.Float](i, j, k int, q *Viscous[F], clock *Clock[F], force, out []F) {
	c := q.at(i, j, k)
	density := q.Fluids.between(q.F[c-int(q.Across)], q.F[c])
	out[c] = 0.5 * (clock.Dt*force[c] + clock.PerArea*q.stress(c)/density)
}

// StartViscous begins the implicit step ρ w - dt ∇·μ(∇w + ∇wᵀ) = dt ∇·μ(∇v + ∇vᵀ) for the change w of the velocity: it
// computes the right-hand side and the inverse of the diagonal, and returns |v|.
//
//atoll:kernel lanes max
func StartViscous[F num.Float](i, j, k int, q *Viscous[F], clock *Clock[F], change, residual, inverse []F) F {
	c := q.at(i, j, k)
	density := q.Fluids.between(q.F[c-int(q.Across)], q.F[c])
	residual[c] = clock.PerArea * q.stress(c)
	inverse[c] = 1 / (density + clock.PerArea*q.diagonal(c))
	change[c] = 0
	return num.Abs(q.V[c])
}

// SetTolerance sets the tolerance of the change to a part of the largest velocity, and resets what Diagonal finds.
//
//atoll:kernel
func SetTolerance[F num.Float](i int, part F, largest, heaviest *atomics.Most[F], it *levels.Iteration) {
	it.Tolerance = float64(part) * float64(largest.Value())
	largest.Reset()
	heaviest.Reset()
}

// Diagonal returns the coefficient of the diagonal, 0 in closed faces.
//
//atoll:kernel lanes max
func Diagonal[F num.Float](i int, inverse []F) F {
	if inverse[i] > 0 {
		return 1 / inverse[i]
	}
	return 0
}

// Scale divides the residual by the diagonal, and returns the magnitude of the result.
//
//atoll:kernel lanes max
func Scale[F num.Float](i, j, k int, l *Lattice, inverse, residual, z []F) F {
	c := l.at(i, j, k)
	v := inverse[c] * residual[c]
	z[c] = v
	return num.Abs(v)
}

// StepAndScale takes the step of conjugate gradients along a direction d, whose left-hand side is q, and divides the
// residual that is left by the diagonal. It returns the magnitude of the result.
//
//atoll:kernel lanes max
func StepAndScale[F num.Float](i, j, k int, l *Lattice, it *levels.Iteration, inverse, d, q, change, residual,
	z []F) F {
	c := l.at(i, j, k)
	alpha := F(it.Alpha)
	change[c] += alpha * d[c]
	left := residual[c] - alpha*q[c]
	residual[c] = left
	v := inverse[c] * left
	z[c] = v
	return num.Abs(v)
}

// Resist computes the left-hand side for the direction V, and returns the magnitude of its product with it.
//
//atoll:kernel lanes max
func Resist[F num.Float](i, j, k int, q *Viscous[F], clock *Clock[F], out []F) F {
	c := q.at(i, j, k)
	density := q.Fluids.between(q.F[c-int(q.Across)], q.F[c])
	v := density*q.V[c] - clock.PerArea*q.stress(c)
	out[c] = v
	return num.Abs(q.V[c] * v)
}

// Change adds a step times a change to a velocity.
//
//atoll:kernel lanes
func Change[F num.Float](i, j, k int, l *Lattice, change, v []F) {
	c := l.at(i, j, k)
	v[c] += change[c]
}

// Accelerate adds the acceleration of the last step to a velocity.
//
//atoll:kernel lanes
func Accelerate[F num.Float](i, j, k int, l *Lattice, clock *Clock[F], a, v []F) {
	c := l.at(i, j, k)
	v[c] += clock.Dt * a[c]
}
