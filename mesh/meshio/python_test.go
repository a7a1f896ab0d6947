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

// readByMeshio prints the numbers of points, of cells by type and of values of the field "q" that the Python package
// meshio finds in files.
const readByMeshio = `
import sys, meshio
for name in sys.argv[1:]:
    m = meshio.read(name)
    cells = {}
    for c in m.cells:
        cells[c.type] = cells.get(c.type, 0) + len(c.data)
    print(len(m.points), sorted(cells.items()), sum(len(x) for x in m.cell_data.get("q", [])))
`

// The Python package meshio reads the files of each format, with groups of edges or faces, and with cell fields, for
// which it needs a value for each element.
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
	s.Marks = &mesh.Marks{Lines: []mesh.MarkedEdge{{A: 0, B: 1, Tag: 2}, {A: 1, B: 2, Tag: 2}}}
	s.Faces = []mesh.TaggedFace{{V: s.FaceOpposite(0, 0), Tag: 3}, {V: s.FaceOpposite(1, 0), Tag: 4}}
	for name, values := range map[string]bool{"m.msh": true, "m.vtu": true, "m.mesh": false, "m.meshb": false} {
		dir := t.TempDir()
		plane, space := filepath.Join(dir, name), filepath.Join(dir, "s"+name)
		if err := Write(plane, m); err != nil {
			t.Fatal(err)
		}
		if err := WriteSolid(space, s); err != nil {
			t.Fatal(err)
		}
		found := func(points, lines, triangles, tetrahedra int) string {
			var all []string
			for k, n := range []int{lines, tetrahedra, triangles} {
				if n > 0 {
					all = append(all, fmt.Sprintf("('%s', %d)", []string{"line", "tetra", "triangle"}[k], n))
				}
			}
			n := 0
			if values {
				n = lines + triangles + tetrahedra
			}
			return fmt.Sprintf("%d [%s] %d\n", points, strings.Join(all, ", "), n)
		}
		lines := len(s.Marks.Lines)
		if name == "m.vtu" {
			lines = 0
		}
		got, err := exec.Command(python, "-c", readByMeshio, plane, space).CombinedOutput() // meshio prints empty lines too
		for _, want := range []string{found(len(m.X), len(m.Tagged), len(m.Cells), 0),
			found(len(s.X), lines, len(s.Faces), len(s.Cells))} {
			if err != nil || !strings.Contains(string(got), want) {
				t.Errorf("%s: error %v, output\n%s\nwant\n%s", name, err, got, want)
			}
		}
	}
}
