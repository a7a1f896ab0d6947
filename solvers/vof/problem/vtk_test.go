package problem

import (
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestVOFSurfaceByVTK proves that VTK reads the surface of four ranks without warnings and finds it closed.
func TestVOFSurfaceByVTK(t *testing.T) {
	needs.VTK(t)
	dir := t.TempDir()
	_, err := runtest.Run(t, shearedBody, 4, 1, runtest.Local, dir, `output.format=["vti", "vtp", "stl"]`,
		"grid.periodic=[]", "initial.shape='sphere(0.5, 0.5, 0.5, 0.3)'", "velocity={field='enright', period=1}")
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range []string{"case_000000", "case_000001"} {
		path := filepath.Join(dir, "frames", frame)
		for _, kind := range []string{".vtp", ".stl"} {
			runtest.ClosedByVTK(t, path, kind, "f", "5760")
		}
	}
}
