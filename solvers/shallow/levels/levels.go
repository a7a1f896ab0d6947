// Package levels rounds levels of water and bed, so that their sums and differences are exact.
package levels

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Snap rounds bed and levels to multiples of a spacing, so that levels, their sums and differences are exact, and a
// lake at rest over any bed stays at rest to the last bit. An absent layer stays absent.
func Snap(depth, h1, h2 *float64, spacing float64) {
	bed := -*depth
	z2 := bed + *h2
	z1 := z2 + *h1
	bed, z2, z1 = Round(bed, spacing), Round(z2, spacing), Round(z1, spacing)
	if *h2 == 0 {
		z2 = bed
	}
	if *h1 == 0 {
		z1 = z2
	}
	*depth, *h2, *h1 = -bed, max(z2-bed, 0), max(z1-z2, 0)
}

// Round rounds a level to a multiple of a spacing.
func Round(z, spacing float64) float64 { return math.RoundToEven(z/spacing) * spacing }

// SpacingFor returns the spacing of levels, given the largest depth or thickness in m: the smallest power of two above
// 2^-44 of it, in single precision 2^-20. The mantissa has 53 bits, or 24, so that sums of levels are exact too.
func SpacingFor[F num.Float](scale float64) float64 {
	bits := 44
	if third := F(1) / 3; float64(third) != 1.0/3 {
		bits = 20
	}
	_, e := math.Frexp(scale)
	return math.Ldexp(1, e-bits)
}

// DepthAt returns the depth in m of a bed that rises by a height in m between two times, at a time in s, as a solver in
// a precision has it.
func DepthAt(precision string, depth, height, from, to, t float64) float64 {
	if precision == "float32" {
		return depthAt[float32](depth, height, from, to, t)
	}
	return depthAt[float64](depth, height, from, to, t)
}

func depthAt[F num.Float](depth, height, from, to, t float64) float64 {
	up, rise := kernels.Uplift[F]{From: from, To: to}, kernels.Rise[F]{Depth: F(depth), Height: F(height)}
	return float64(rise.DepthAt(up.Fraction(t)))
}
