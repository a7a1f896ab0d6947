package problem

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// cellsOf returns a field of a frame by the numbers of cells.
func cellsOf(t *testing.T, path, field string) map[float64]float64 {
	t.Helper()
	m, err := meshio.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	values := map[float64]float64{}
	for i, id := range m.CellData["cell"] {
		values[id] = m.CellData[field][i]
	}
	return values
}

// TestStateOfAnotherRun proves that a run on the same mesh begins with the state of another run's last frame, to
// round-off: from a file of each format, written by several ranks, in another order of the cells; and that a frame of
// another mesh, and a field that the frames lack, are refused.
func TestStateOfAnotherRun(t *testing.T) {
	first := t.TempDir()
	output := "output={fields=['h', 'u', 'v'], format=['vtu', 'nc'], files='rank', every=0}"
	_, err := runtest.Run(t, weather, 3, 1, runtest.Local, first, "time.max_steps=6", output, "mesh.order=random")
	if err != nil {
		t.Fatal(err)
	}
	ends, err := filepath.Glob(filepath.Join(first, "frames", "*000001.pvtu"))
	if err != nil || len(ends) != 1 {
		t.Fatal(ends, err)
	}
	series, err := filepath.Glob(filepath.Join(first, "*.pvd"))
	if err != nil || len(series) != 1 {
		t.Fatal(series, err)
	}
	begin := func(file, field string, sets ...string) (string, error) {
		dir := t.TempDir()
		from := func(name string) string { return fmt.Sprintf("%s={mesh='%s', file='%s'}", name, field+name, file) }
		_, err := runtest.Run(t, weather, 2, 1, runtest.Local, dir, append([]string{"time.max_steps=1",
			"initial={depth='1 - 2.5*exp(-(x*x + y*y)/2)', " + from("h") + ", " + from("u") + ", " + from("v") + "}",
			"output={fields=['h', 'u', 'v'], every=0}"}, sets...)...)
		return dir, err
	}
	for _, file := range []string{ends[0], series[0], strings.TrimSuffix(series[0], ".pvd") + ".nc"} {
		dir, err := begin(file, "")
		if err != nil {
			t.Fatal(err)
		}
		starts, err := filepath.Glob(filepath.Join(dir, "frames", "*000000.vtu"))
		if err != nil || len(starts) != 1 {
			t.Fatal(starts, err)
		}
		for _, name := range []string{"h", "u", "v"} {
			want, got := cellsOf(t, ends[0], name), cellsOf(t, starts[0], name)
			for id, v := range want {
				if math.Abs(got[id]-v) > 1e-12 { // initial thicknesses are multiples of the spacing of levels
					t.Fatalf("%s: %s of cell %g begins as %v, want %v", file, name, id, got[id], v)
				}
			}
		}
	}
	const other = "is no frame of a run on the mesh of this case: "
	if _, err := begin(series[0], "", "mesh.cells=250"); err == nil || !strings.Contains(err.Error(), other+"it has") {
		t.Errorf("another number of cells: %v", err)
	}
	if _, err := begin(series[0], "", "mesh.seed=8"); err == nil || !strings.Contains(err.Error(), other+"cell") {
		t.Errorf("other cells: %v", err)
	}
	_, err = runtest.Run(t, weather, 1, 1, runtest.Local, t.TempDir(), "mesh={file='"+ends[0]+"'}")
	if err == nil || !strings.Contains(err.Error(), `[boundary] "right": the mesh has no groups of edges`) {
		t.Errorf("a boundary of a frame: %v", err)
	}
	if _, err := begin(series[0], "max_"); err == nil || !strings.Contains(err.Error(), `has no field "max_h" of cells`) {
		t.Errorf("a missing field: %v", err)
	}
}
