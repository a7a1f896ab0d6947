// Package lines finds the triangles that lines cross.
package lines

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// Crossing is the part of a line inside one triangle.
type Crossing struct {
	Cell int
	X, Y float64 // its length times the unit normal to the right of the line
}

// Crossings returns the parts of a polyline inside the first cells triangles of a mesh. Corners on the line count as
// left of it. So a line along edges lies in the triangles at its right, and each point of the line lies in exactly one
// triangle of the whole mesh: two triangles compute the crossing of a shared edge with the same arithmetic.
func Crossings(line [][]float64, m *vtk.Grid, cells int) (list []Crossing) {
	for k := 1; k < len(line); k++ {
		s := newSegment(line[k-1], line[k])
		for i := range cells {
			if share := s.shareInside(m, i); share > 0 {
				list = append(list, Crossing{i, share * s.dy, -share * s.dx})
			}
		}
	}
	return list
}

// OnEarth converts the normals of a line of longitudes and latitudes, in degrees, to m. latitude is that of a cell.
func OnEarth(list []Crossing, latitude func(cell int) float64) {
	for k := range list {
		x := &list[k]
		east, north := sphere.Vector(latitude(x.Cell), 0, 0, -x.Y, x.X)
		x.X, x.Y = north, -east
	}
}

// segment is one straight part of a polyline, with its bounding box.
type segment struct {
	x, y, dx, dy             float64
	west, east, south, north float64
}

func newSegment(from, to []float64) segment {
	return segment{from[0], from[1], to[0] - from[0], to[1] - from[1], min(from[0], to[0]), max(from[0], to[0]),
		min(from[1], to[1]), max(from[1], to[1])}
}

// shareInside returns the share of the segment that lies in a triangle, from 0 to 1.
func (s *segment) shareInside(m *vtk.Grid, cell int) float64 {
	var x, y, side [3]float64
	for k, v := range m.Cell(cell) {
		x[k], y[k] = m.Points[3*v], m.Points[3*v+1]
	}
	if max(x[0], x[1], x[2]) < s.west || min(x[0], x[1], x[2]) > s.east || max(y[0], y[1], y[2]) < s.south ||
		min(y[0], y[1], y[2]) > s.north {
		return 0
	}
	for k := range side {
		side[k] = s.dx*(y[k]-s.y) - s.dy*(x[k]-s.x)
	}
	least, most := math.Inf(1), math.Inf(-1)
	for k := range side {
		n := (k + 1) % 3
		if (side[k] >= 0) == (side[n] >= 0) {
			continue
		}
		a, b := k, n
		if side[a] < 0 {
			a, b = b, a // always from left to right, so that both triangles of an edge compute the same bits
		}
		t := side[a] / (side[a] - side[b])
		position := ((x[a]+t*(x[b]-x[a])-s.x)*s.dx + (y[a]+t*(y[b]-y[a])-s.y)*s.dy) / (s.dx*s.dx + s.dy*s.dy)
		position = max(0, min(1, position))
		least, most = min(least, position), max(most, position)
	}
	return max(0, most-least)
}
