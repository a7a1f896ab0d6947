package summary

import "math"

// Variables rather than constants, so that the compiler does not fold the operations.
var (
	// (1 + 2⁻³⁰)² = 1 + 2⁻²⁹ + 2⁻⁶⁰ exactly.
	fmaFactor = 1 + 0x1p-30
	fmaTerm   = -(1 + 0x1p-29)
	// The last hexadecimal digit of the sine of 7 is 8 if package math rounds every operation, and 9 if it fuses some.
	sineArgument = 7.0
)

// FusesMultiplyAdd reports whether this binary computes x*y + z with a single rounding, in this package or in package
// math. If so, its results differ in the last bits from those of a binary that rounds twice.
func FusesMultiplyAdd() bool {
	return multiplyAdd(fmaFactor, fmaFactor, fmaTerm) != 0 ||
		math.Float64bits(math.Sin(sineArgument)) != 0x3fe50608c26d0a08
}

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }
