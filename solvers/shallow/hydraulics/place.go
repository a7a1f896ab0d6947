package hydraulics

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/ground"
)

// near reports whether a place's line crosses a cell, or the cell's centroid is within the radius.
func (p *Place) near(part *mesh.Part, cell int) bool {
	x, y := part.Centroid(cell)
	if p.Line == nil {
		return math.Hypot(x-p.X, y-p.Y) <= p.Radius
	}
	triangle := domain.TriangleOf(part, cell)
	for k := range len(p.Line) - 1 {
		a, b := ground.Point(p.Line[k]), ground.Point(p.Line[k+1])
		if distance(x, y, a, b) <= p.Radius {
			return true
		}
		if from, to := triangle.Clip(a, b); from < to {
			return true
		}
	}
	return false
}

// distance returns that of a point from the segment from a to b.
func distance(x, y float64, a, b ground.Point) float64 {
	ux, uy := b[0]-a[0], b[1]-a[1]
	share := max(0, min(1, ((x-a[0])*ux+(y-a[1])*uy)/(ux*ux+uy*uy)))
	return math.Hypot(x-a[0]-share*ux, y-a[1]-share*uy)
}
