package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// NoJump stands for the jump in a cell without interface.
const NoJump = 1e30

// NoCurvature stands for a curvature that is not found. Others are times the spacing, at most 2 or so.
const NoCurvature = 1e30

// FindJump computes how much higher the pressure of the first fluid is at the interface in a cell than that of the
// second one by surface tension: this times the curvature. The result is times the spacing, in N/m; NoJump without an
// interface.
//
//atoll:kernel grain=256
func FindJump[F num.Float](i, j, k int, q *Interface[F]) {
	c := q.at(i, j, k)
	jump := F(NoJump)
	if q.hasInterface(c) {
		kappa := F(0)
		if q.Tension != 0 {
			kappa = q.curvature(c, i, q.normal(c))
		}
		if kappa != NoCurvature {
			jump = q.Tension * kappa
		}
	}
	q.Jump[c] = jump
}

// Weigh makes jumps those of the pressure without the weight of either fluid above the centre of the cell: less by the
// difference of the densities times gravity times the way from the centre to the interface.
//
//atoll:kernel grain=256
func Weigh[F num.Float](i, j, k int, q *Interface[F]) {
	c := q.at(i, j, k)
	if q.Jump[c] != NoJump {
		q.Jump[c] -= q.lift(c, q.normal(c))
	}
}

// lift is the scalar product of the buoyancy with a position of the interface, from the centre of cell c in cells: that
// in the column along the axis nearest to the normal that has a height, otherwise the middle of the plane in the cell.
func (q *Interface[F]) lift(c int, n [3]F) F {
	var done [3]bool
	for range q.Dim {
		axis := q.nearest(n, done)
		done[axis] = true
		if q.Rings && axis == 0 { // gravity is along the axis
			return 0
		}
		sign := 1
		if n[axis] < 0 {
			sign = -1
		}
		h, found := q.height(c, q.stride(axis), sign)
		if found && num.Abs(h) <= 0.5*F(q.Dim) {
			return q.Buoyancy[axis] * h
		}
	}
	sum := F(0)
	if q.mixed(c) {
		own := q.cornersOf(c)
		for m := range own.n {
			for d := range 3 {
				sum += q.Buoyancy[d] * own.p[m][d] / F(own.n)
			}
		}
	}
	return sum
}

// sliver is the product of a cell's two fractions below which its jump weighs less.
const sliver = 1e-3

// jumpBetween is the jump at a face between cells with the jumps a and b and the fractions f and g: the mean of those
// that have one. The weight of a cell that is nearly pure falls to 0 as the rest of the other fluid leaves it, so that
// the force does not jump when it has left. lift is half the buoyancy along the face's axis: from the centres of the
// cells to the face.
func jumpBetween[F num.Float](a, b, f, g, lift F) F {
	below, above := a+lift, b-lift
	if a == NoJump {
		below = above
	}
	if b == NoJump {
		above = below
	}
	part := partOf(f, g)
	jump := part*below + (1-part)*above
	if a == NoJump && b == NoJump {
		jump = 0
	}
	return jump
}

// partOf is the weight, at a face, of the jump in a cell with the fraction f beside that in a cell with the fraction g.
func partOf[F num.Float](f, g F) F {
	own, other := num.Smaller(1, f*(1-f)/sliver), num.Smaller(1, g*(1-g)/sliver)
	part := F(0.5)
	if own+other > 0 {
		part = own / (own + other)
	}
	return part
}
