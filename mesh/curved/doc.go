// Package curved reconstructs the curved boundary of a mesh around each vertex, so that the vertex can slide on it:
// along the parabola through a vertex of a curve and its two neighbours (Arc), and on a paraboloid fitted to the
// neighbours of a vertex of a surface (Surface).
//
// Only the vertices of the boundary are known, so a vertex gets an arc or a surface only where neighbours agree on the
// shape within Tolerance. Ridges are edges at which the boundary turns by more than a given angle, that a file marks,
// or that are between groups; surfaces do not extend across them. A vertex at which a curve turns by more than the
// angle is a corner and does not slide.
package curved

import "math"

// Tolerance is the largest accepted difference between the reconstructed boundary and the neighbouring vertices,
// relative to the length of edges.
const Tolerance = 0.01

type vector = [3]float64

func minus(a, b vector) vector { return vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// plus returns a + s·b.
func plus(a vector, s float64, b vector) vector {
	return vector{a[0] + s*b[0], a[1] + s*b[1], a[2] + s*b[2]}
}

func times(s float64, a vector) vector { return vector{s * a[0], s * a[1], s * a[2]} }

func dot(a, b vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func cross(a, b vector) vector {
	return vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func length(a vector) float64 { return math.Sqrt(dot(a, a)) }
