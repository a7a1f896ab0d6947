package meshio

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/mesh"
)

// readByMeshio prints how many points, cells by type and values of the field "q" meshio finds in files.
const readByMeshio = `
import sys, meshio
for name in sys.argv[1:]:
    m = meshio.read(name)
    cells = {}
    for c in m.cells:
        cells[c.type] = cells.get(c.type, 0) + len(c.data)
    print(len(m.points), sorted(cells.items()), sum(len(x) for x in m.cell_data.get("q", [])))
`

// TestMeshioReadsOurFiles: meshio reads what is written in each format, with groups of edges or faces beside fields of
// cells, of which it wants a value of each element.
func TestMeshioReadsOurFiles(t *testing.T) {
	python := needs.Meshio(t)
	m, err := mesh.Rectangle(0, 0, 2, 1, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.CellData = map[string][]float64{"q": make([]float64, len(m.Cells))}
	s, err := mesh.Cube(2, 2, 2, .1, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.CellData = map[string][]float64{"q": make([]float64, len(s.Cells))}
	s.Faces = []mesh.TaggedFace{{V: s.Facing(0, 0), Tag: 3}, {V: s.Facing(1, 0), Tag: 4}}
	for name, values := range map[string]bool{"m.msh": true, "m.vtu": true, "m.mesh": false, "m.meshb": false} {
		dir := t.TempDir()
		plane, space := filepath.Join(dir, name), filepath.Join(dir, "s"+name)
		if err := Write(plane, m); err != nil {
			t.Fatal(err)
		}
		if err := WriteSolid(space, s); err != nil {
			t.Fatal(err)
		}
		found := func(points, sides int, kind string, cells int, other string) string {
			all := fmt.Sprintf("('%s', %d), ('%s', %d)", kind, sides, other, cells)
			if kind > other {
				all = fmt.Sprintf("('%s', %d), ('%s', %d)", other, cells, kind, sides)
			}
			n := 0
			if values {
				n = cells + sides
			}
			return fmt.Sprintf("%d [%s] %d\n", points, all, n)
		}
		got, err := exec.Command(python, "-c", readByMeshio, plane, space).CombinedOutput() // and empty lines of meshio's
		for _, want := range []string{found(len(m.X), len(m.Tagged), "line", len(m.Cells), "triangle"),
			found(len(s.X), len(s.Faces), "triangle", len(s.Cells), "tetra")} {
			if err != nil || !strings.Contains(string(got), want) {
				t.Errorf("%s: %v\n%s\nhas no\n%s", name, err, got, want)
			}
		}
	}
}
