package terrain

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/constrained"
)

// spaces returns how far the nearest other vertex, or line that does not pass through it, is from each vertex of a
// triangulation of lines, and the smallest angle between lines in degrees. In a Delaunay triangulation the nearest
// vertex is at the end of an edge; what is behind a line does not count.
func spaces(m *mesh.Mesh) (distance []float64, angle float64) {
	distance = make([]float64, len(m.X))
	for v := range distance {
		distance[v] = math.Inf(1)
	}
	isLine := linesOf(m)
	angle = 180
	for c, v := range m.Cells {
		twice := 2 * m.Area(c)
		for k := range v {
			a, b, p := v[k], v[(k+1)%3], v[(k+2)%3]
			ux, uy := m.X[b]-m.X[a], m.Y[b]-m.Y[a]
			length := math.Hypot(ux, uy)
			distance[a], distance[b] = min(distance[a], length), min(distance[b], length)
			if !isLine(a, b) {
				continue
			}
			if _, beside := foot(m, a, b, p); beside {
				distance[p] = min(distance[p], twice/length)
			}
			if isLine(a, p) {
				angle = min(angle, angleAt(m, a, b, p))
			}
		}
	}
	return distance, angle
}

// linesOf returns whether an edge is on a line.
func linesOf(m *mesh.Mesh) func(a, b int32) bool {
	line := make(map[[2]int32]bool, len(m.Tagged))
	for _, e := range m.Tagged {
		line[[2]int32{min(e.A, e.B), max(e.A, e.B)}] = true
	}
	return func(a, b int32) bool { return line[[2]int32{min(a, b), max(a, b)}] }
}

// foot returns the point of the line through a and b that is nearest to p, and whether it is between them.
func foot(m *mesh.Mesh, a, b, p int32) (x [2]float64, between bool) {
	ux, uy := m.X[b]-m.X[a], m.Y[b]-m.Y[a]
	along := ((m.X[p]-m.X[a])*ux + (m.Y[p]-m.Y[a])*uy) / (ux*ux + uy*uy)
	return [2]float64{m.X[a] + along*ux, m.Y[a] + along*uy}, along > 0 && along < 1
}

// gaps returns lines without a group from vertices to the nearest points of lines within a distance, where these have
// no vertex nearby.
func gaps(m *mesh.Mesh, distance float64) (bridges []constrained.Line) {
	isLine := linesOf(m)
	for c, v := range m.Cells {
		for k := range v {
			a, b, p := v[k], v[(k+1)%3], v[(k+2)%3]
			if !isLine(a, b) {
				continue
			}
			x, between := foot(m, a, b, p)
			height := 2 * m.Area(c) / math.Hypot(m.X[a]-m.X[b], m.Y[a]-m.Y[b])
			if !between || height > distance {
				continue
			}
			ends := min(math.Hypot(m.X[a]-x[0], m.Y[a]-x[1]), math.Hypot(m.X[b]-x[0], m.Y[b]-x[1]))
			if height < ends {
				bridges = append(bridges, constrained.Line{X: [][2]float64{{m.X[p], m.Y[p]}, x}, Group: -1})
			}
		}
	}
	return bridges
}
