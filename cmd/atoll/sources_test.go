package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// TestDepthSources: the same bed gives the same state as an expression, as a raster of elevations, and as vertex
// and cell data of a mesh, in each mesh format that stores data.
func TestDepthSources(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 10, 10, 200, 7)
	if err != nil {
		t.Fatal(err)
	}
	bed, thick := make([]float64, len(m.X)), make([]float64, len(m.Cells))
	for i := range bed {
		bed[i] = -2
	}
	for c := range thick {
		thick[c] = 2
	}
	m.VertexData, m.CellData = map[string][]float64{"bed": bed}, map[string][]float64{"depth of water": thick}
	dir := t.TempDir()
	for _, name := range []string{"pond.msh", "pond.vtu"} {
		if err := meshio.Write(filepath.Join(dir, name), m); err != nil {
			t.Fatal(err)
		}
	}
	raster := "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n-2 -2\n-2 -2\n"
	if err := os.WriteFile(filepath.Join(dir, "bed.asc"), []byte(raster), 0o666); err != nil {
		t.Fatal(err)
	}
	const text = `
solver = "shallow-water"
mesh = { file = "%s" }
physics = { layers = 1 }
initial = { depth = %s, z = "x < 5 ? 0.25 : 0" }
time = { end = 0.5 }
output = { dir = "out%d", format = [] }
`
	states := map[string]string{}
	for i, source := range [][2]string{
		{"pond.msh", `"2"`},
		{"pond.msh", `{ raster = "bed.asc", positive = "up" }`},
		{"pond.msh", `{ mesh = "bed", positive = "up" }`},
		{"pond.vtu", `{ mesh = "bed", positive = "up" }`},
		{"pond.vtu", `{ mesh = "depth of water", positive = "down" }`},
	} {
		file := filepath.Join(dir, "case.toml")
		if err := os.WriteFile(file, fmt.Appendf(nil, text, source[0], source[1], i), 0o666); err != nil {
			t.Fatal(err)
		}
		c := atoll(t, dir, nil, "run", "case.toml", "--quiet")
		if code := c.code(t); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", source, code, c.stderr.String())
		}
		states[strings.Join(source[:], " ")] = readSummary(t,
			filepath.Join(dir, fmt.Sprintf("out%d", i), "summary.json")).StateSHA256
	}
	first := states[`pond.msh "2"`]
	for source, state := range states {
		if state != first {
			t.Errorf("%s: state %.12s…, of the expression %.12s…", source, state, first)
		}
	}
}
