package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Curves are polylines of the input mesh between corners: boundaries and interfaces in the plane, ridges in space.
// Vertices on them have their arc length as parameter, and always lie on the polyline, so that deviations from it do
// not add up.
type Curves struct {
	X     []measure.Vector
	S     []float64 // arc lengths, ascending on each curve
	First []int32   // point of each curve, and one more
}

// after returns the index of the first point of a curve with a parameter above s, or that after its last point.
func (c *Curves) after(curve int32, s float64) int32 {
	lo, hi := c.First[curve], c.First[curve+1]
	for lo < hi {
		if middle := (lo + hi) / 2; c.S[middle] > s {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return lo
}

// segment returns the index of the end of the segment in which s lies.
func (c *Curves) segment(curve int32, s float64) int32 {
	return min(max(c.after(curve, s), c.First[curve]+1), c.First[curve+1]-1)
}

// At returns the point of a curve with a parameter.
func (c *Curves) At(curve int32, s float64) (p measure.Vector) {
	k := c.segment(curve, s)
	w := (s - c.S[k-1]) / (c.S[k] - c.S[k-1])
	for i := range 3 {
		p[i] = c.X[k-1][i] + w*(c.X[k][i]-c.X[k-1][i])
	}
	return p
}

// Tangent returns the unit tangent of a curve at a parameter.
func (c *Curves) Tangent(curve int32, s float64) measure.Vector {
	k := c.segment(curve, s)
	d := measure.Sub(&c.X[k], &c.X[k-1])
	for i := range 3 {
		d[i] /= c.S[k] - c.S[k-1]
	}
	return d
}

// Near reports whether the points of a curve between two parameters are within a distance of the segment between the
// positions p and q of these parameters.
func (c *Curves) Near(curve int32, s, t float64, p, q *measure.Vector, distance float64) bool {
	if s > t {
		return c.mostSquare(curve, t, s, q, p) <= distance*distance
	}
	return c.mostSquare(curve, s, t, p, q) <= distance*distance
}

// Deviation is the largest distance of these points from the segment.
func (c *Curves) Deviation(curve int32, s, t float64, p, q *measure.Vector) float64 {
	if s > t {
		return math.Sqrt(c.mostSquare(curve, t, s, q, p))
	}
	return math.Sqrt(c.mostSquare(curve, s, t, p, q))
}

// mostSquare is the square of that distance, for s ≤ t.
func (c *Curves) mostSquare(curve int32, s, t float64, p, q *measure.Vector) float64 {
	most := 0.0
	for k := c.after(curve, s); k < c.First[curve+1] && c.S[k] < t; k++ {
		most = max(most, toSegment(&c.X[k], p, q))
	}
	return most
}

// toSegment is the square of the distance of x from the segment p q.
func toSegment(x, p, q *measure.Vector) float64 {
	u, e := measure.Sub(x, p), measure.Sub(q, p)
	w := 0.0
	if ee := measure.Dot(&e, &e); ee > 0 {
		w = min(1, max(0, measure.Dot(&u, &e)/ee))
	}
	for i := range 3 {
		u[i] -= w * e[i]
	}
	return measure.Dot(&u, &u)
}
