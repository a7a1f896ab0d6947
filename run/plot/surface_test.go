package plot

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// TestRunOfSurfaces checks that a series of surfaces in space is drawn, but not a series of lines.
func TestRunOfSurfaces(t *testing.T) {
	for name, c := range map[string]struct{ lines bool }{"ball_vtp": {false}, "disk": {true}} {
		dir := t.TempDir()
		p := &vtk.PolyData{Points: []float64{0, 0, 0, 1, 0, 0, 0, 1, 1}}
		if c.lines {
			p.Lines.Add(0, 1, 2)
		} else {
			p.Polys.Add(0, 1, 2)
		}
		if err := vtk.WritePolyData(filepath.Join(dir, "a.vtp"), p); err != nil {
			t.Fatal(err)
		}
		if err := vtk.NewCollection(filepath.Join(dir, name+".pvd")).Append(vtk.Frame{File: "a.vtp"}); err != nil {
			t.Fatal(err)
		}
		done, err := Run(dir, Options{Frame: LastFrame, Page: chart.Page{Width: 300}})
		if c.lines {
			if err == nil || !strings.Contains(err.Error(), "nothing was drawn") {
				t.Errorf("lines: %v", err)
			}
			continue
		}
		if err != nil || len(done.Files) != 1 || filepath.Base(done.Files[0]) != "ball-surface-0000.png" {
			t.Fatalf("%s: got %v, %v", name, done, err)
		}
	}
}
