package curved

import "math"

// Arc is a parabola through three consecutive vertices of a curve. For the parameter s in [Low, High] its point is at
// sT + s²B relative to the middle vertex; at Low and High it meets the other two. T has a length of about 1, so that s
// is about an arc length.
type Arc struct {
	T, B      vector
	Low, High float64

	// Curvature is that of the circle through the three vertices, as a vector normal to its plane.
	Curvature vector
}

// NewArc returns the arc through a vertex of a curve, at position at, and the vertices before and after it. ok is false
// if two of the positions are the same, or if the curve turns by more than ridge degrees at the vertex.
func NewArc(before, at, after vector, ridge float64) (arc Arc, ok bool) {
	incoming, outgoing := minus(at, before), minus(after, at)
	a, b := length(incoming), length(outgoing)
	if !(a > 0) || !(b > 0) || !(dot(incoming, outgoing) >= math.Cos(ridge*math.Pi/180)*a*b) {
		return Arc{}, false
	}
	u, v := times(1/a, incoming), times(1/b, outgoing)
	arc = Arc{Low: -a, High: b, B: times(1/(a+b), minus(v, u))}
	arc.T = plus(v, -b, arc.B)
	arc.Curvature = times(2/length(minus(after, before)), cross(u, v))
	return arc, true
}

// Agrees reports whether the curvature of an arc agrees with that at a neighbouring vertex at a given distance: the
// curves that the two predict between the vertices differ by at most Tolerance times the distance.
func (a *Arc) Agrees(curvature vector, distance float64) bool {
	// If the curvature changes linearly between the vertices, the curve leaves the arc by distance²/6 of the change.
	return length(minus(a.Curvature, curvature))*distance/6 <= Tolerance
}
