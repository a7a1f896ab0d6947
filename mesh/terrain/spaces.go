package terrain

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
)

// spaces returns how far the nearest other vertex, or line that does not pass through it, is from each vertex of a
// triangulation of lines, and the smallest angle between lines in degrees. In a Delaunay triangulation the nearest
// vertex is at the end of an edge; what is behind a line does not count.
func spaces(m *mesh.Mesh) (distance []float64, angle float64) {
	distance = make([]float64, len(m.X))
	for v := range distance {
		distance[v] = math.Inf(1)
	}
	line := make(map[[2]int32]bool, len(m.Tagged))
	for _, e := range m.Tagged {
		line[[2]int32{min(e.A, e.B), max(e.A, e.B)}] = true
	}
	isLine := func(a, b int32) bool { return line[[2]int32{min(a, b), max(a, b)}] }
	angle = 180
	for c, v := range m.Cells {
		twice := 2 * m.Area(c)
		for k := range v {
			a, b, p := v[k], v[(k+1)%3], v[(k+2)%3]
			ux, uy := m.X[b]-m.X[a], m.Y[b]-m.Y[a]
			length := math.Hypot(ux, uy)
			distance[a], distance[b] = min(distance[a], length), min(distance[b], length)
			along := (m.X[p]-m.X[a])*ux + (m.Y[p]-m.Y[a])*uy
			if isLine(a, b) && along > 0 && along < length*length {
				distance[p] = min(distance[p], twice/length)
			}
			if isLine(a, b) && isLine(a, p) {
				angle = min(angle, angleAt(m, a, b, p))
			}
		}
	}
	return distance, angle
}
