package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
)

// Viscous is the viscous stress on the volumes of one velocity component, ∇·μ(∇v + ∇vᵀ). In cells and at edges with
// both fluids, the fluids resist in series to what shears them along the interface, and in parallel to what stretches
// them: the viscosity is a tensor (Coward, Renardy, Renardy and Richards, J. Comput. Phys. 132, 1997). Of it the
// coefficients of ∂v/∂x in the stress τxx and of ∂v/∂y + ∂w/∂x in τxy are kept; so it is exact for interfaces along
// axes and diagonals.
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

// mass is that of the volume of face c.
func (q *Viscous[F]) mass(c, i int) F {
	return q.Fluids.mass(&q.Lattice, q.Across == 1, i, q.F[c-int(q.Across)], q.F[c])
}

// stress is the force on the volume of face c, times the square of the spacing.
func (q *Viscous[F]) stress(c, i int) F {
	if q.Rings {
		return q.stressOfRing(c, i)
	}
	a := int(q.Across)
	normal := q.OfCell(c)*(q.V[c+a]-q.V[c]) - q.OfCell(c-a)*(q.V[c]-q.V[c-a])
	sum := 2*normal + q.shear(c, int(q.First), q.VFirst)
	if q.Dim == 3 {
		sum += q.shear(c, int(q.Second), q.VSecond)
	}
	return sum
}

// stressOfRing is stress in axisymmetric flow. It is the derivative of half the energy that is dissipated,
// Σ r μ(2(∂u/∂r)² + 2(∂w/∂z)² + (∂u/∂z + ∂w/∂r)²) + Σ 2μu²/r, so that the matrix is symmetric; the last sum, that of
// the stress around the axis, is over faces across r.
func (q *Viscous[F]) stressOfRing(c, i int) F {
	a, s, r := int(q.Across), int(q.First), radius[F](&q.Lattice, i)
	inner, outer := r-0.5, r-0.5 // radii of the edges
	below := r
	if a == 1 {
		below = r - 1
	} else {
		outer = r + 0.5
	}
	sum := 2 * (r*q.OfCell(c)*(q.V[c+a]-q.V[c]) - below*q.OfCell(c-a)*(q.V[c]-q.V[c-a]))
	w := q.VFirst
	sum += outer * (q.OfEdge(c+s, s) * (q.V[c+s] - q.V[c] + (w[c+s] - w[c+s-a])))
	sum -= inner * (q.OfEdge(c, s) * (q.V[c] - q.V[c-s] + (w[c] - w[c-a])))
	if a == 1 {
		sum -= q.hoop(c, inner) * q.V[c]
	}
	return sum
}

// hoop is the coefficient of u in the stress around the axis on the volume of face c across r.
func (q *Viscous[F]) hoop(c int, r F) F {
	return (q.Fluids.ViscosityOf(q.F[c-1]) + q.Fluids.ViscosityOf(q.F[c])) / r
}

// shear is the part of the edges at distance s along another axis, whose velocity component is w.
func (q *Viscous[F]) shear(c, s int, w []F) F {
	a := int(q.Across)
	upper := q.OfEdge(c+s, s) * (q.V[c+s] - q.V[c] + (w[c+s] - w[c+s-a]))
	lower := q.OfEdge(c, s) * (q.V[c] - q.V[c-s] + (w[c] - w[c-a]))
	return upper - lower
}

// OfCell is the viscosity in cell c for the slope of the component along its own axis.
func (q *Viscous[F]) OfCell(c int) F {
	f := q.F[c]
	v := q.Fluids.ViscosityOf(f)
	if f > 0 && f < 1 {
		a, s := int(q.Across), int(q.First)
		slope, other := q.F[c+a]-q.F[c-a], q.F[c+s]-q.F[c-s]
		sum := slope*slope + other*other
		if q.Dim == 3 {
			s = int(q.Second)
			other = q.F[c+s] - q.F[c-s]
			sum += other * other
		}
		if sum > 0 {
			part := slope * slope / sum // square of the interface's normal along the axis
			v += (q.Fluids.inSeries(f) - v) * (4 * part * (1 - part))
		}
	}
	return v
}

// OfEdge is the viscosity for shears at the lower edge of cell c, the same for both components.
func (q *Viscous[F]) OfEdge(c, s int) F {
	a := int(q.Across)
	rising, falling := q.F[c]-q.F[c-a-s], q.F[c-s]-q.F[c-a] // the slopes along a and s are their sum and difference
	v := q.Fluids.ViscosityOf(0.25 * (q.F[c] + q.F[c-a-s] + (q.F[c-s] + q.F[c-a])))
	if sum := rising*rising + falling*falling; sum > 0 {
		aligned := 2 * rising * falling / sum // difference of the squares of the normal along a and s
		upper, lower := 0.5*(q.F[c]+q.F[c-s]), 0.5*(q.F[c-a]+q.F[c-a-s])
		if aligned < 0 { // the interface's normal is along s rather than a
			upper, lower = 0.5*(q.F[c]+q.F[c-a]), 0.5*(q.F[c-s]+q.F[c-a-s])
		}
		// The part that is in the first fluid of the line between the cells' centres, if the interface crosses it.
		f := num.Larger(0, num.Larger(upper, lower)-0.5) + num.Smaller(0.5, num.Smaller(upper, lower))
		v += (q.Fluids.inSeries(f) - v) * (aligned * aligned)
	}
	return v
}

// diagonal is the coefficient of V[c] in -stress.
func (q *Viscous[F]) diagonal(c, i int) F {
	a, s := int(q.Across), int(q.First)
	if q.Rings {
		r := radius[F](&q.Lattice, i)
		below, outer := r, r+0.5
		extra := F(0)
		if a == 1 {
			below = r - 1
			outer = r - 0.5
			extra = q.hoop(c, r-0.5)
		}
		return 2*(r*q.OfCell(c)+below*q.OfCell(c-a)) + outer*q.OfEdge(c+s, s) +
			(r-0.5)*q.OfEdge(c, s) + extra
	}
	sum := 2*(q.OfCell(c)+q.OfCell(c-a)) + q.OfEdge(c+s, s) + q.OfEdge(c, s)
	if q.Dim == 3 {
		s = int(q.Second)
		sum += q.OfEdge(c+s, s) + q.OfEdge(c, s)
	}
	return sum
}

// LookAhead computes the change of a velocity in half a step by the acceleration of the last step, and by viscosity.
//
//atoll:kernel lanes
func LookAhead[F num.Float](i, j, k int, q *Viscous[F], clock *Clock[F], force, out []F) {
	c := q.at(i, j, k)
	out[c] = 0.5 * (clock.Dt*force[c] + clock.PerArea*q.stress(c, i)/q.mass(c, i))
}

// StartViscous begins the implicit step ρ w - dt ∇·μ(∇w + ∇wᵀ) = dt ∇·μ(∇v + ∇vᵀ) for the change w of the velocity: it
// computes the right-hand side and the inverse of the diagonal, and returns |v|.
//
//atoll:kernel lanes max
func StartViscous[F num.Float](i, j, k int, q *Viscous[F], clock *Clock[F], change, residual, inverse []F) F {
	c := q.at(i, j, k)
	residual[c] = clock.PerArea * q.stress(c, i)
	inverse[c] = 1 / (q.mass(c, i) + clock.PerArea*q.diagonal(c, i))
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
	v := q.mass(c, i)*q.V[c] - clock.PerArea*q.stress(c, i)
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
