package problem

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/formats/features"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestPlaces: maps show groups with a condition, structures between their ends, and lines that raise the bed.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	const levee = `{"type": "Feature", "properties": {"name": "levee", "crest": 2},
"geometry": {"type": "LineString", "coordinates": [[1, 1], [3, 1]]}}`
	if err := os.WriteFile(filepath.Join(dir, "levee.geojson"), []byte(levee), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Rectangle(0, 0, 4, 2, 60, 1)
	if err == nil {
		err = gmsh.Write(filepath.Join(dir, "a.msh"), m, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{`file = "a.msh"`, `generate = "rectangle", bounds = [0, 0, 4, 2], cells = 60`} {
		text := `solver = "shallow-water"
mesh = { ` + source + ` }
physics = { layers = 1 }
initial = { depth = { raster = "dem.asc", positive = "up", lines = "levee.geojson" }, z = 0 }
boundary = { left = { level = 0 }, right = "open", top = "wall" }
time = { end = 1 }
[[gate]]
name = "gate"
from = [1, 1]
to = [2, 1]
width = 1
opening = 1
[[pump]]
name = "pump"
from = [3, 1]
discharge = 1
`
		c, err := solvers.Parse(filepath.Join(dir, "case.toml"), []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.Sections.(*Sections).Places(c)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range list {
			got = append(got, f.Text(features.Role)+" "+f.Name()+" of "+f.Kind.String())
			for _, part := range f.Parts {
				if f.Name() == "left" && (part[0].X != 0 || part[1].X != 0) {
					t.Errorf("%s: the side on the left is at %v", source, part)
				}
			}
		}
		slices.Sort(got)
		const want = "boundary left of line, boundary right of line, line levee of line, structure gate of line, " +
			"structure pump of point"
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("%s: got %s, want %s", source, all, want)
		}
	}
}
