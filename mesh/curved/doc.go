// Package curved reconstructs the boundary of a mesh around its vertices, where it is curved, so that these may slide
// on it: along the parabola through a vertex of a curve and its two neighbours (Arc), and on a paraboloid fitted to the
// vertices of a surface around one of them (Surface).
//
// A boundary is known by its vertices alone, and what they say is believed only where they agree. Edges at which the
// boundary turns by more than an angle are ridges, which stay, as do those that a file marks or that bound a group; a
// vertex at which a curve turns by more is a corner. Elsewhere the curvatures that neighbours on a curve tell, or the
// vertices around one of a surface, must fit within Tolerance.
package curved

import "math"

// Tolerance is how far a boundary may be from where its neighbours see it, as a share of the lengths of edges there.
const Tolerance = 0.01

type vector = [3]float64

func minus(a, b vector) vector { return vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func plus(a vector, s float64, b vector) vector {
	return vector{a[0] + s*b[0], a[1] + s*b[1], a[2] + s*b[2]}
}

func times(s float64, a vector) vector { return vector{s * a[0], s * a[1], s * a[2]} }

func dot(a, b vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func cross(a, b vector) vector {
	return vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func length(a vector) float64 { return math.Sqrt(dot(a, a)) }
