package kernels

import (
	"testing"

	"github.com/atoll-hpc/atoll/solvers/common/geom"
)

// TestNormalsWithZeroComponents proves that every method gives an axis-aligned interface exactly an axis-aligned
// normal.
func TestNormalsWithZeroComponents(t *testing.T) {
	for axis := range 3 {
		for _, sign := range []float64{1, -1} {
			var m [3]float64
			m[axis] = sign
			for _, part := range []float64{1e-12, .3, .5, 1 - 1e-12} {
				q := planeField(m[0], m[1], m[2], geom.PlaneConstant(m[0], m[1], m[2], part))
				for method := Youngs; method <= Heights; method++ {
					x, y, z := normal3(q.f, q.middle, q.sy, q.sz, method, difference)
					n := [3]float64{x, y, z}
					if !(n[axis]*sign > 0) || n[(axis+1)%3] != 0 || n[(axis+2)%3] != 0 {
						t.Errorf("way %d, part %g: normal %v, want one along %v", method, part, n, m)
					}
					if axis == 2 {
						continue
					}
					l := lineField(m[0], m[1], geom.LineConstant(m[0], m[1], part))
					x, y = normal2(l.f, l.middle, l.sy, method, difference)
					if n := [2]float64{x, y}; !(n[axis]*sign > 0) || n[1-axis] != 0 {
						t.Errorf("way %d, part %g in the plane: normal %v, want one along %v", method, part, n, m[:2])
					}
				}
			}
		}
	}
}
