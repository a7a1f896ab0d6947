// Package num has the arithmetic functions that kernels share. They use only + - × ÷ √ and comparisons, so that every
// processor gives the same bits.
package num

import "math"

// Float is a floating-point type of the kernels.
type Float interface{ float32 | float64 }

// Number is a numeric type of the kernels.
type Number interface {
	int | int32 | int64 | float32 | float64
}

// Sqrt is √x, correctly rounded in F.
func Sqrt[F Float](x F) F { return F(math.Sqrt(float64(x))) }

// Abs is |x|, and -0 for -0. It branches, as Larger and Smaller do: math.Abs goes through an integer register on
// amd64, while the branches are mostly predicted.
func Abs[F Float](x F) F {
	if x < 0 {
		return -x
	}
	return x
}

// Larger is a if a > b, otherwise b; so b if either is NaN. The builtin max handles NaN and -0, which costs more.
func Larger[T Number](a, b T) T {
	if a > b {
		return a
	}
	return b
}

// Smaller is a if a < b, otherwise b; so b if either is NaN.
func Smaller[T Number](a, b T) T {
	if a < b {
		return a
	}
	return b
}

// Sign returns 1, 0 or -1.
func Sign[F Float](x F) F {
	if x > 0 {
		return 1
	}
	if x < 0 {
		return -1
	}
	return 0
}
