package summary

import "math"

// Variables and not constants, so that the compiler does not fold the operations.
var (
	// (1 + 2⁻³⁰)² = 1 + 2⁻²⁹ + 2⁻⁶⁰ exactly.
	fmaFactor = 1 + 0x1p-30
	fmaTerm   = -(1 + 0x1p-29)
	// The last hexadecimal digit of its sine is 8 if package math rounds every operation, and 9 if some are fused.
	sineOf = 7.0
)

// FusesMultiplyAdd reports whether this binary computes x*y + z with one rounding, here or in package math, which has
// been compiled for it too. Then its results differ in the last bits from those of a binary that rounds twice.
func FusesMultiplyAdd() bool {
	return multiplyAdd(fmaFactor, fmaFactor, fmaTerm) != 0 || math.Float64bits(math.Sin(sineOf)) != 0x3fe50608c26d0a08
}

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }
