package curved

import "math"

// Arc is a curve near one of its vertices: at s from Low to High it is at sT + s²B from the vertex, at Low and High in
// the vertices before and after. T is about 1 long, so that s is about a length.
type Arc struct {
	T, B      vector
	Low, High float64

	// Bend is the curvature of the circle through the three vertices, along the axis about which the curve turns.
	Bend vector
}

// Through returns the arc through a vertex of a curve and those before and after it. It is none where two of them are
// in one position or the curve turns by more than an angle at the vertex, in degrees.
func Through(before, at, after vector, ridge float64) (Arc, bool) {
	in, out := minus(at, before), minus(after, at)
	a, b := length(in), length(out)
	if !(a > 0) || !(b > 0) || !(dot(in, out) >= math.Cos(ridge*math.Pi/180)*a*b) {
		return Arc{}, false
	}
	u, v := times(1/a, in), times(1/b, out)
	arc := Arc{Low: -a, High: b, B: times(1/(a+b), minus(v, u))}
	arc.T = plus(v, -b, arc.B)
	arc.Bend = times(2/length(minus(after, before)), cross(u, v))
	return arc, true
}

// Smooth tells whether a curve goes on from an arc to a vertex at a distance as the circle there does: how far the two
// part on the way is within Tolerance.
func (a *Arc) Smooth(bend vector, distance float64) bool {
	return length(minus(a.Bend, bend))*distance/6 <= Tolerance
}
