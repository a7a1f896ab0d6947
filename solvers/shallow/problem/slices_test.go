package problem

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestMeshInSlices: a case has the same bits when rank 0 reads its mesh and when all ranks read slices of it, with
// groups that have boundary conditions, and fields of vertices and cells.
func TestMeshInSlices(t *testing.T) {
	m, err := mesh.Rectangle(-5, -5, 5, 5, 6000, 3)
	if err != nil {
		t.Fatal(err)
	}
	bed, friction := make([]float64, len(m.X)), make([]float64, len(m.Cells))
	for v := range bed {
		bed[v] = 1 - m.X[v]*m.Y[v]/30
	}
	for c := range friction {
		friction[c] = 0.01 + float64(c%7)/200
	}
	mesh.SetField(&m.VertexData, "bed", bed)
	mesh.SetField(&m.CellData, "friction", friction)
	path := filepath.Join(t.TempDir(), "m.msh")
	if err := meshio.Write(path, m); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`
solver = "shallow-water"
mesh = { file = %q }
physics = { order = 2, layers = 1, manning = { mesh = "friction" } }
initial = { depth = { mesh = "bed", positive = "down" }, z = "x < -2 ? 0.3 : 0" }
boundary = { left = { discharge = 0.5 }, top = "open" }
time = { end = 10, max_steps = 8 }
output = { format = [] }
`, path)
	want := ""
	for _, ranks := range []int{1, 2, 7} {
		for name, open := range map[string]runtest.Open{"local": runtest.Local, "grpc": runtest.GRPC} {
			sum, err := runtest.Run(t, text, ranks, 1, open, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = sum.StateSHA256
			}
			if sum.StateSHA256 != want {
				t.Errorf("%d ranks over %s: state %.12s…, on one rank %.12s…", ranks, name, sum.StateSHA256, want)
			}
		}
	}
}
