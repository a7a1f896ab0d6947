package summary

import "math"

// Variables, so that the compiler cannot work out what comes of them.
var (
	// (1 + 2⁻³⁰)² = 1 + 2⁻²⁹ + 2⁻⁶⁰ exactly.
	fmaFactor = 1 + 0x1p-30
	fmaTerm   = -(1 + 0x1p-29)
	// The sine of it ends in 8 if every operation of package math is rounded, and in 9 if some are fused.
	sineOf = 7.0
)

// FusesMultiplyAdd reports whether this binary computes x*y + z with one rounding, here or in package math, which has
// been compiled for it too. Then its results differ in the last bits from those of a binary that rounds twice.
func FusesMultiplyAdd() bool {
	return multiplyAdd(fmaFactor, fmaFactor, fmaTerm) != 0 || math.Float64bits(math.Sin(sineOf)) != 0x3fe50608c26d0a08
}

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }
