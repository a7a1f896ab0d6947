package mesh

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/disjoint"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Heights is the name of the vertex field of third coordinates.
const Heights = "z"

const surfaceAdvice = "the triangles are a surface in space, but a triangle mesh must be plane, with z a function of " +
	"x and y; mesh the volume with tetrahedra, or, if the mesh is tangled, give it without z"

// CheckHeights refuses a surface in space, such as a sphere, on which z is not a function of x and y: vertical
// triangles, neighbouring triangles that overlap in the plane, and parts of the mesh above others. Its error names the
// first of them. Readers of files call it; other faults are left to Check.
func CheckHeights(m *Mesh, z []float64) error {
	if m.level(z) {
		return nil
	}
	up, down := false, false
	for c, v := range m.Cells {
		if min(v[0], v[1], v[2]) < 0 || int(max(v[0], v[1], v[2])) >= min(len(m.X), len(m.Y), len(z)) {
			return nil
		}
		switch m.shape(c) {
		case cellGood:
			up = true
		case cellClockwise:
			down = true
		case cellFlat:
			if m.isVertical(v, z) {
				return fmt.Errorf("%s is vertical: %s", m.describeInSpace(c, z), surfaceAdvice)
			}
		}
	}
	if !up || !down {
		return m.checkLevels(z)
	}
	cellOfEdge := make(map[[2]int32]int, 3*len(m.Cells)) // the cell of each directed edge
	for c, v := range m.Cells {
		for k := range v {
			cellOfEdge[[2]int32{v[k], v[(k+1)%3]}] = c
		}
	}
	for c, v := range m.Cells {
		for k := range v {
			other, ok := cellOfEdge[[2]int32{v[(k+1)%3], v[k]}]
			if one, two := m.shape(c), m.shape(other); ok && one != two && max(one, two) == cellClockwise {
				return fmt.Errorf("%s overlaps triangle %d, its neighbour across the edge from vertex %d to %d: %s",
					m.describeInSpace(c, z), other, v[k], v[(k+1)%3], surfaceAdvice)
			}
		}
	}
	return m.checkLevels(z)
}

// probedParts is the number of parts of a mesh for which checkLevels looks for others.
const probedParts = 64

// checkLevels refuses parts of a mesh that share no vertex and lie above each other: the first cell of each of some
// parts, in the order of their cells, must not be above a cell of another part.
func (m *Mesh) checkLevels(z []float64) error {
	parts := disjoint.New(len(m.X)) // vertices
	for _, c := range m.Cells {
		for _, v := range c[1:] {
			parts.Join(v, c[0])
		}
	}
	probes := map[int32]int{} // by part
	var order []int32
	for c, v := range m.Cells {
		if r := parts.Root(v[0]); len(order) < probedParts {
			if _, known := probes[r]; !known {
				probes[r] = c
				order = append(order, r)
			}
		}
	}
	if len(order) < 2 {
		return nil
	}
	for _, p := range order {
		x, y := m.Centroid(probes[p])
		for c, v := range m.Cells {
			if parts.Root(v[0]) != p && m.covers(c, x, y) {
				return fmt.Errorf("%s is above or below triangle %d: %s", m.describeInSpace(probes[p], z), c, surfaceAdvice)
			}
		}
	}
	return nil
}

// covers reports whether a point is inside a triangle of any orientation.
func (m *Mesh) covers(c int, x, y float64) bool {
	var positive, negative bool
	for k, v := range m.Cells[c] {
		w := m.Cells[c][(k+1)%3]
		side := (m.X[w]-m.X[v])*(y-m.Y[v]) - (x-m.X[v])*(m.Y[w]-m.Y[v])
		positive, negative = positive || side >= 0, negative || side <= 0
	}
	return positive != negative
}

// LevelShare is the range of third coordinates, as a share of the extent of the mesh, up to which they count as equal.
const LevelShare = 1e-10

// level reports whether third coordinates are equal up to round-off.
func (m *Mesh) level(z []float64) bool {
	if len(z) == 0 || len(m.X) == 0 || len(m.Y) == 0 {
		return true
	}
	extent := max(slices.Max(m.X)-slices.Min(m.X), slices.Max(m.Y)-slices.Min(m.Y))
	return slices.Max(z)-slices.Min(z) <= LevelShare*extent
}

// Level checks that the third coordinates of the vertices used by cells are the same up to round-off, as programs for
// plane meshes need it, and makes them the same, with a note if they are not zero. Otherwise it returns false.
func (m *Mesh) Level() bool {
	z, ok := m.VertexData[Heights]
	if !ok || slices.Min(z) == 0 && slices.Max(z) == 0 {
		return true
	}
	if !m.level(z) {
		return false
	}
	low, high := slices.Min(z), slices.Max(z)
	height := low/2 + high/2
	switch {
	case low < high && low <= 0 && high >= 0:
		delete(m.VertexData, Heights)
		m.note("made flat: third coordinates are from %.3g to %.3g, which is round-off; they are 0 now", low, high)
		return true
	case low < high:
		m.note("made flat: third coordinates are from %.17g to %.17g, which is round-off; they are %.10g now", low, high,
			height)
	default:
		m.note("the mesh is in the plane z = %g, and stays there", height)
	}
	plane := make([]float64, len(z))
	for v := range plane {
		plane[v] = height
	}
	m.VertexData[Heights] = plane
	return true
}

// isVertical reports whether a triangle that is flat in the plane has an area in space.
func (m *Mesh) isVertical(v [3]int32, z []float64) bool {
	position := func(i int) [3]float64 { return [3]float64{m.X[v[i]], m.Y[v[i]], z[v[i]]} }
	a, b := vector.Minus(position(1), position(0)), vector.Minus(position(2), position(0))
	n := vector.Cross(a, b)
	const rounding = 1e-12 // for the sine of the angle between a and b
	return math.Sqrt(vector.Dot(n, n)) > rounding*math.Sqrt(vector.Dot(a, a)*vector.Dot(b, b))
}

// describeInSpace describes a triangle with the coordinates of its vertices.
func (m *Mesh) describeInSpace(c int, z []float64) string {
	text := fmt.Sprintf("triangle %d", c)
	for k, v := range m.Cells[c] {
		text += fmt.Sprintf("%s vertex %d at (%g, %g, %g)", []string{" of", ",", " and"}[k], v, m.X[v], m.Y[v], z[v])
	}
	return text
}
