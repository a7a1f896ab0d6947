package problem

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// TestHubs proves that a vertex may be in any number of triangles: the smoothers that need no list of them move it,
// and the optimiser leaves it where it is with a note, and moves the others. A hub off the centre of a fan has flat
// triangles, which become better where the hub moves.
func TestHubs(t *testing.T) {
	for _, triangles := range []int{8, kernels.MaxDegree, kernels.MaxDegree + 1, 40, 333} {
		m := &mesh.Mesh{X: []float64{0.6}, Y: []float64{0.1}}
		for k := range triangles {
			s, c := math.Sincos(2 * math.Pi * float64(k) / float64(triangles))
			m.X, m.Y = append(m.X, c), append(m.Y, s)
			m.Cells = append(m.Cells, [3]int32{0, int32(k + 1), int32((k+1)%triangles + 1)})
		}
		path := filepath.Join(t.TempDir(), "fan.msh")
		if err := meshio.Write(path, m); err != nil {
			t.Fatal(err)
		}
		for _, smoother := range []string{"pain", "pain-exact", "smart", "fjp", "hybrid", "barrier"} {
			r := smoothedByDefault(t, path, "metric={field='uniform'}", fmt.Sprintf("method={smoother=%q, boundary='fixed'}",
				smoother))
			crowded := triangles > kernels.MaxDegree && slices.Contains([]string{"fjp", "hybrid"}, smoother)
			moved := r.After.QualityMin > 1.5*r.Before.QualityMin
			want := !(crowded && smoother == "fjp")
			if smoother == "barrier" { // it may reject a step that makes other triangles worse
				want = moved
			}
			if moved != want || !(r.After.QualityMin >= r.Before.QualityMin) {
				t.Errorf("%d triangles, %s: the worst quality changes from %g to %g", triangles, smoother,
					r.Before.QualityMin, r.After.QualityMin)
			}
			if note := strings.Contains(r.Text(), "1 vertex in more than 32 triangles"); note != crowded {
				t.Errorf("%d triangles, %s: note %t, want %t", triangles, smoother, note, crowded)
			}
		}
	}
}
