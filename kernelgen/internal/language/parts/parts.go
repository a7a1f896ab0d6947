// Package parts has types, constants, functions and methods, generic and plain, which kernels of package language use
// from another package.
package parts

// Number is a type that Within works on.
type Number interface {
	int32 | int64 | float32 | float64
}

// Half is a constant that other packages use.
const Half = 0.5

// Within returns x, or the nearer end of [lo, hi].
func Within[T Number](x, lo, hi T) T {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// Vector is a vector in the plane.
type Vector[F float32 | float64] struct{ X, Y F }

// Dot is the scalar product.
func (v Vector[F]) Dot(w Vector[F]) F { return v.X*w.X + v.Y*w.Y }

// Scale multiplies v by s.
func (v *Vector[F]) Scale(s F) {
	v.X *= s
	v.Y *= s
}

// Turned returns the vector rotated by 90° counterclockwise, and its length squared.
func Turned[F float32 | float64](v Vector[F]) (Vector[F], F) {
	return Vector[F]{-v.Y, v.X}, v.Dot(v)
}

// Either holds two values of any type, and which of them Choose returns.
type Either[T any] struct {
	One, Other T
	First      bool
}

// Choose returns e.One if e.First is true, otherwise e.Other.
func Choose[T any](e Either[T]) T {
	if e.First {
		return e.One
	}
	return e.Other
}

// Odd reports whether n is odd.
func Odd(n int64) bool { return n&1 == 1 }
