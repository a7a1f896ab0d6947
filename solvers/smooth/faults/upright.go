package faults

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/words"

	"github.com/atoll-hpc/atoll/mesh"
)

// CheckUpright refuses a mesh with triangles whose area is not positive.
func CheckUpright(m *mesh.Mesh) error {
	bad, text := 0, ""
	for c := range m.Cells {
		if !isUpright(m, c) {
			if bad++; bad <= 5 {
				x, y := m.Centroid(c)
				text += fmt.Sprintf("; cell %d at (%g, %g) of area %g", c, x, y, m.Area(c))
			}
		}
	}
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("inverted or flat: %d of the mesh's %s%s: orient it (atoll mesh convert --orient), "+
		"untangle it (untangle = true) or mesh the domain again", bad, words.Count(len(m.Cells), "triangle"), text)
}

// AreaRoundOff is the round-off of a triangle's doubled area, which is a difference of two products, as a share of the
// sum of their magnitudes: a triangle with a smaller area counts as flat.
const AreaRoundOff = 4 * 0x1p-53

func isUpright(m *mesh.Mesh, c int) bool {
	v := m.Cells[c]
	ax, ay := m.X[v[0]], m.Y[v[0]]
	one, other := (m.X[v[1]]-ax)*(m.Y[v[2]]-ay), (m.X[v[2]]-ax)*(m.Y[v[1]]-ay)
	return one-other > AreaRoundOff*(math.Abs(one)+math.Abs(other))
}
