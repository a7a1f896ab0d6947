package mutable

import (
	"math"
	"sort"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Curve is a polyline of the input mesh between two corners: a boundary or an interface in the plane, a ridge in space.
// Vertices on it have their arc length as parameter, and always lie on the polyline, so that deviations from it do not
// add up.
type Curve struct {
	X []measure.Vector
	S []float64 // arc lengths, ascending
}

// after returns the index of the first point with a parameter above s.
func (c *Curve) after(s float64) int {
	return sort.Search(len(c.S), func(k int) bool { return c.S[k] > s })
}

// segment returns the index of the end of the segment in which s lies.
func (c *Curve) segment(s float64) int { return min(max(c.after(s), 1), len(c.S)-1) }

// At returns the point with a parameter.
func (c *Curve) At(s float64) (p measure.Vector) {
	k := c.segment(s)
	w := (s - c.S[k-1]) / (c.S[k] - c.S[k-1])
	for i := range p {
		p[i] = c.X[k-1][i] + w*(c.X[k][i]-c.X[k-1][i])
	}
	return p
}

// Tangent returns the unit tangent at a parameter.
func (c *Curve) Tangent(s float64) measure.Vector {
	k := c.segment(s)
	d := measure.Sub(&c.X[k], &c.X[k-1])
	for i := range d {
		d[i] /= c.S[k] - c.S[k-1]
	}
	return d
}

// Near reports whether the points of the polyline between two parameters are within a distance of the segment between
// the positions p and q of these parameters.
func (c *Curve) Near(s, t float64, p, q *measure.Vector, distance float64) bool {
	if s > t {
		s, t, p, q = t, s, q, p
	}
	for k := c.after(s); k < len(c.S) && c.S[k] < t; k++ {
		if !(toSegment(&c.X[k], p, q) <= distance*distance) {
			return false
		}
	}
	return true
}

// Deviation is the largest distance of these points from the segment.
func (c *Curve) Deviation(s, t float64, p, q *measure.Vector) float64 {
	if s > t {
		s, t, p, q = t, s, q, p
	}
	most := 0.0
	for k := c.after(s); k < len(c.S) && c.S[k] < t; k++ {
		most = max(most, toSegment(&c.X[k], p, q))
	}
	return math.Sqrt(most)
}

// toSegment is the square of the distance of x from the segment p q.
func toSegment(x, p, q *measure.Vector) float64 {
	u, e := measure.Sub(x, p), measure.Sub(q, p)
	w := 0.0
	if ee := measure.Dot(&e, &e); ee > 0 {
		w = min(1, max(0, measure.Dot(&u, &e)/ee))
	}
	for i := range u {
		u[i] -= w * e[i]
	}
	return measure.Dot(&u, &u)
}

// makeCurves divides the lines into curves between corners. Where a closed line has no corner, its vertex of lowest
// id becomes one. byID are the vertices of lines in the order of their ids; the ends at each vertex are in the order of
// the ids of the other vertices.
func (t *Mesh) makeCurves(byID []int32) {
	for pass := range 2 {
		for _, v := range byID {
			if pass == 0 && t.Freedom[v] != 0 {
				continue
			}
			for k := range t.Line[v] {
				if t.Line[v][k].Curve < 0 {
					t.Freedom[v] = 0
					t.traceCurve(v, k)
				}
			}
		}
	}
}

// traceCurve makes the curve that begins at a corner with one of its line edges.
func (t *Mesh) traceCurve(corner int32, k int) {
	number := int32(len(t.Curves))
	c := Curve{X: []measure.Vector{t.X[corner]}, S: []float64{0}}
	for a, e := corner, &t.Line[corner][k]; ; {
		b, s := e.To, c.S[len(c.S)-1]
		u := measure.Sub(&t.X[b], &t.X[a])
		end := s + math.Sqrt(measure.Dot(&u, &u))
		c.X, c.S = append(c.X, t.X[b]), append(c.S, end)
		back := t.openEnd(b, a)
		e.Curve, e.S = number, s
		back.Curve, back.S = number, end
		if t.Freedom[b] == 0 {
			break
		}
		a, e = b, t.openEnd(b, -1)
	}
	t.Curves = append(t.Curves, c)
}

// openEnd returns the line edge at v to another vertex, or to any if to is -1, that is on no curve yet.
func (t *Mesh) openEnd(v, to int32) *LineEnd {
	for i := range t.Line[v] {
		if e := &t.Line[v][i]; e.Curve < 0 && (to < 0 || e.To == to) {
			return e
		}
	}
	return nil
}
