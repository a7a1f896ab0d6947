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
		return part.Distance(x, y, p.X, p.Y) <= p.Radius
	}
	triangle := domain.TriangleOf(part, cell)
	for k := range len(p.Line) - 1 {
		a, b := ground.Point(p.Line[k]), ground.Point(p.Line[k+1])
		if distance(part, cell, a, b) <= p.Radius {
			return true
		}
		if from, to := triangle.Clip(a, b); from < to {
			return true
		}
	}
	return false
}

// distance returns that of a cell's centroid from the segment from a to b, m.
func distance(part *mesh.Part, cell int, a, b ground.Point) float64 {
	x, y := part.Centroid(cell)
	if part.Geographic { // positions from the centroid, in the plane that touches the sphere there
		a[0], a[1] = part.Vector(cell, x, y, a[0], a[1])
		b[0], b[1] = part.Vector(cell, x, y, b[0], b[1])
		x, y = 0, 0
	}
	ux, uy := b[0]-a[0], b[1]-a[1]
	share := max(0, min(1, ((x-a[0])*ux+(y-a[1])*uy)/(ux*ux+uy*uy)))
	return math.Hypot(x-a[0]-share*ux, y-a[1]-share*uy)
}
