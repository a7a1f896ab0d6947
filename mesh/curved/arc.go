package curved

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Arc is a parabola through three consecutive vertices of a curve. For the parameter s in [Low, High] its point is at
// sT + s²B relative to the middle vertex; at Low and High it meets the other two. T has a length of about 1, so that s
// is about an arc length.
type Arc struct {
	T, B      vector.Vector
	Low, High float64

	// Curvature is that of the circle through the three vertices, as a vector normal to its plane.
	Curvature vector.Vector
}

// NewArc returns the arc through a vertex of a curve, at position at, and the vertices before and after it. ok is false
// if two of the positions are the same, or if the curve turns by more than ridge degrees at the vertex.
func NewArc(before, at, after vector.Vector, ridge float64) (arc Arc, ok bool) {
	incoming, outgoing := vector.Minus(at, before), vector.Minus(after, at)
	a, b := vector.Length(incoming), vector.Length(outgoing)
	if !(a > 0) || !(b > 0) || !(vector.Dot(incoming, outgoing) >= math.Cos(ridge*math.Pi/180)*a*b) {
		return Arc{}, false
	}
	u, v := vector.Times(1/a, incoming), vector.Times(1/b, outgoing)
	arc = Arc{Low: -a, High: b, B: vector.Times(1/(a+b), vector.Minus(v, u))}
	arc.T = vector.Plus(v, -b, arc.B)
	arc.Curvature = vector.Times(2/vector.Length(vector.Minus(after, before)), vector.Cross(u, v))
	return arc, true
}

// Agrees reports whether the curvature of an arc agrees with that at a neighbouring vertex at a given distance: the
// curves that the two predict between the vertices differ by at most Tolerance times the distance.
func (a *Arc) Agrees(curvature vector.Vector, distance float64) bool {
	// If the curvature changes linearly between the vertices, the curve leaves the arc by distance²/6 of the change.
	return vector.Length(vector.Minus(a.Curvature, curvature))*distance/6 <= Tolerance
}
