// Package num is the arithmetic that kernels share. Its functions are plain and use only + - × ÷ √ and comparisons, so
// that every processor gives the same bits.
package num

import "math"

// Float is a precision that a run may have.
type Float interface{ float32 | float64 }

// Number is what can be compared and stored by kernels.
type Number interface {
	int | int32 | int64 | float32 | float64
}

// Sqrt is √x, correctly rounded in F.
func Sqrt[F Float](x F) F { return F(math.Sqrt(float64(x))) }

// Abs is |x|, and -0 for -0. It branches, as Larger and Smaller do: math.Abs goes through an integer register on amd64,
// and the branches are mostly foreseen.
func Abs[F Float](x F) F {
	if x < 0 {
		return -x
	}
	return x
}

// Larger is a if a > b, else b: so b where either is NaN. The builtin max orders NaN and -0 too, which costs more.
func Larger[T Number](a, b T) T {
	if a > b {
		return a
	}
	return b
}

// Smaller is a if a < b, else b: so b where either is NaN.
func Smaller[T Number](a, b T) T {
	if a < b {
		return a
	}
	return b
}
