package mesh

import (
	"fmt"
	"math"
	"slices"
)

// Heights is the vertex field of third coordinates.
const Heights = "z"

// CheckHeights refuses triangles that are a surface in space, such as a sphere, where the third coordinates of vertices
// should be heights over the plane: those that stand upright, and neighbours of which one lies under the other. It
// names the first of them. Readers call it; what else is wrong with a mesh is told by Check.
func CheckHeights(m *Mesh, z []float64) error {
	const advice = "the triangles are a surface in space, and a mesh of triangles lies in the plane, with heights over " +
		"it at most; mesh the volume with tetrahedra, or give a mesh whose vertices are out of place without heights"
	if len(z) == 0 || slices.Min(z) == slices.Max(z) {
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
			if m.upright(v, z) {
				return fmt.Errorf("%s stands upright: %s", m.inSpace(c, z), advice)
			}
		}
	}
	if !up || !down {
		return nil
	}
	first := make(map[[2]int32]int, 3*len(m.Cells)) // the cell on the left of each edge, as it goes round the cell
	for c, v := range m.Cells {
		for k := range v {
			first[[2]int32{v[k], v[(k+1)%3]}] = c
		}
	}
	for c, v := range m.Cells {
		for k := range v {
			other, ok := first[[2]int32{v[(k+1)%3], v[k]}]
			if one, two := m.shape(c), m.shape(other); ok && one != two && max(one, two) == cellClockwise {
				return fmt.Errorf("%s and triangle %d, beyond its edge from vertex %d to %d, lie over one another: %s",
					m.inSpace(c, z), other, v[k], v[(k+1)%3], advice)
			}
		}
	}
	return nil
}

// upright tells whether a triangle whose picture in the plane is flat has an area in space.
func (m *Mesh) upright(v [3]int32, z []float64) bool {
	at := func(i int) [3]float64 { return [3]float64{m.X[v[i]], m.Y[v[i]], z[v[i]]} }
	a, b := minus(at(1), at(0)), minus(at(2), at(0))
	n := cross(a, b)
	return math.Sqrt(dot(n, n)) > 1e-12*math.Sqrt(dot(a, a)*dot(b, b))
}

// inSpace describes a triangle whose vertices have heights.
func (m *Mesh) inSpace(c int, z []float64) string {
	text := fmt.Sprintf("triangle %d", c)
	for k, v := range m.Cells[c] {
		text += fmt.Sprintf("%s vertex %d at (%g, %g, %g)", []string{" of", ",", " and"}[k], v, m.X[v], m.Y[v], z[v])
	}
	return text
}
