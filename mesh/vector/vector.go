// Package vector has the geometry of vectors in space: differences, products and lengths.
package vector

import "math"

// Vector is a position or a difference of two; in the plane the third component is 0.
type Vector = [3]float64

// Minus returns a - b.
func Minus(a, b Vector) Vector { return Vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Plus returns a + s·b.
func Plus(a Vector, s float64, b Vector) Vector {
	return Vector{a[0] + s*b[0], a[1] + s*b[1], a[2] + s*b[2]}
}

// Times returns s·a.
func Times(s float64, a Vector) Vector { return Vector{s * a[0], s * a[1], s * a[2]} }

// Dot returns the scalar product.
func Dot(a, b Vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Cross returns the vector product.
func Cross(a, b Vector) Vector {
	return Vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Length returns |a|.
func Length(a Vector) float64 { return math.Sqrt(Dot(a, a)) }
