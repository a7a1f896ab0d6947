package hydraulics

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
)

// near reports whether a place's line crosses a cell, or the cell's centroid is within the radius.
func (p *Place) near(part *mesh.Part, cell int) bool {
	x, y := part.Centroid(cell)
	if p.Line == nil {
		return math.Hypot(x-p.X, y-p.Y) <= p.Radius
	}
	var corners [3][2]float64
	for k, v := range part.Cells[cell] {
		corners[k] = [2]float64{part.X[v], part.Y[v]}
	}
	for k := range len(p.Line) - 1 {
		a, b := p.Line[k], p.Line[k+1]
		if distance(x, y, a, b) <= p.Radius || crosses(&corners, a, b) {
			return true
		}
	}
	return false
}

// distance returns that of a point from the segment from a to b.
func distance(x, y float64, a, b []float64) float64 {
	ux, uy := b[0]-a[0], b[1]-a[1]
	share := max(0, min(1, ((x-a[0])*ux+(y-a[1])*uy)/(ux*ux+uy*uy)))
	return math.Hypot(x-a[0]-share*ux, y-a[1]-share*uy)
}

// crosses reports whether the segment from a to b has points inside a triangle, whose corners are counterclockwise.
func crosses(corners *[3][2]float64, a, b []float64) bool {
	from, to := 0.0, 1.0
	for k := range corners {
		p, q := corners[k], corners[(k+1)%3]
		side := func(x []float64) float64 { return (q[0]-p[0])*(x[1]-p[1]) - (q[1]-p[1])*(x[0]-p[0]) }
		switch start, end := side(a), side(b); {
		case start <= 0 && end <= 0:
			return false
		case start < 0:
			from = max(from, start/(start-end))
		case end < 0:
			to = min(to, start/(start-end))
		}
	}
	return from < to
}
