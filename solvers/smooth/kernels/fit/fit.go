// Package fit has functions of qualities and energies that are the same for triangles and tetrahedra: the factor of
// a quality that depends on the cell's size, powers, and minima.
//
// The functions use only + − × ÷ and comparisons of floating-point numbers, so that every processor gives the same
// bits.
package fit

import "github.com/atoll-hpc/atoll/solvers/common/num"

// ValueAndDerivatives returns F(x) = [m(2-m)]³, with m the smaller of x and 1/x, of a cell whose edges have the mean
// length x in the metric; G = F'/F; G'; and 1/x. F has two continuous derivatives, so that G' is continuous.
func ValueAndDerivatives[F num.Float](x F) (F, F, F, F) {
	if x < 1 {
		t := x * (2 - x)
		r := 1 / t
		return t * t * t, 6 * (1 - x) * r, -6 * (1 + (1-x)*(1-x)) * r * r, (2 - x) * r
	}
	s := 1 / x
	t := s * (2 - s)
	r := 1 / (2*x - 1)
	return t * t * t, 6 * (s - 1) * r, 6 * (2 - 4*s + s*s) * r * r, s
}

// Value returns F(x) and 1/x.
func Value[F num.Float](x F) (F, F) {
	s := 1 / x
	m := num.Smaller(x, s)
	t := m * (2 - m)
	return t * t * t, s
}

// Stiffening is the share of the metric, relative to the largest second derivative of an energy, that is added to its
// Hessian. Any from 1e-12 to 1e-4 works.
const Stiffening = 1e-6

// Lower returns the smaller of two qualities: NaN if either is.
func Lower[F num.Float](least, q F) F {
	if least <= q {
		return least
	}
	return q + (least - least)
}

// Power returns x to the power 2ⁿ.
func Power[F num.Float](x F, n int32) F {
	for range n {
		x *= x
	}
	return x
}

// Energy returns the energy xᵖ of a cell of quality q₀/x, with p = 2ⁿ, and p. For n < 0 it returns -1/x and p = -1:
// the smaller the sum of these energies, the larger the mean quality.
func Energy[F num.Float](x F, n int32) (F, F) {
	if n < 0 {
		return -1 / x, -1
	}
	return Power(x, n), F(int32(1) << n)
}
