package problem

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestSmoothUntangles proves that a tangled mesh is refused with advice, and untangled on request, with the same bits
// on any number of ranks.
func TestSmoothUntangles(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 300, 5)
	if err != nil {
		t.Fatal(err)
	}
	rings, err := m.Rings()
	if err != nil {
		t.Fatal(err)
	}
	for v := range m.X {
		if rings.Class[v] == mesh.Interior && v%3 == 0 {
			m.X[v], m.Y[v] = m.Y[v], m.X[v]
		}
	}
	file := filepath.Join(t.TempDir(), "tangled.msh")
	if err := meshio.Write(file, m); err != nil {
		t.Fatal(err)
	}
	checkUntangling(t, wavy, file)
}

// TestSmoothUntanglesSolids is the same in space.
func TestSmoothUntanglesSolids(t *testing.T) {
	m, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, 400, 5)
	if err != nil {
		t.Fatal(err)
	}
	free, err := m.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	for v, f := range free {
		switch {
		case f.Axes == 3 && v%2 == 0:
			m.X[v], m.Y[v], m.Z[v] = m.Y[v], m.Z[v], m.X[v]
		case f.Axes == 2 && v%3 == 0:
			m.X[v], m.Y[v], m.Z[v] = m.X[v]+f.T[0][0]/3, m.Y[v]+f.T[0][1]/3, m.Z[v]+f.T[0][2]/3
		}
	}
	file := filepath.Join(t.TempDir(), "tangled.mesh")
	if err := meshio.WriteSolid(file, m); err != nil {
		t.Fatal(err)
	}
	checkUntangling(t, brick, file)
}

// checkUntangling smooths a tangled mesh from a file.
func checkUntangling(t *testing.T, text, file string) {
	t.Helper()
	set := fmt.Sprintf("mesh={file=%q, partition='random'}", file)
	_, err := runtest.Run(t, text, 2, 1, runtest.Local, t.TempDir(), set)
	var bad *solvers.BadInput
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "untangle = true") {
		t.Errorf("error %v", err)
	}
	var want string
	for _, ranks := range []int{1, 2, 5} {
		s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir(), set, "method.untangle=true",
			fmt.Sprintf("method.deep=%v", ranks == 5))
		if err != nil {
			t.Fatal(err)
		}
		if s.Metrics["inverted"] != 0 || s.Metrics["untangled"] < 50 {
			t.Errorf("%d ranks: %v", ranks, s.Metrics)
		}
		if want == "" {
			want = s.StateSHA256
		} else if s.StateSHA256 != want {
			t.Errorf("%d ranks: another state", ranks)
		}
	}
}

// Meshes with only inverted cells are smoothed to the same state as with upright ones: the order of vertices in cells
// is mended, also if the mesh may be tangled.
func TestInvertedCellsAreTurned(t *testing.T) {
	dir := t.TempDir()
	plane, err := mesh.Rectangle(0, 0, 1, 1, 300, 5)
	if err != nil {
		t.Fatal(err)
	}
	solid, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, 100, 5)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string][]string{}
	for _, file := range []string{"plane.mesh", "inverted-plane.mesh", "solid.mesh", "inverted-solid.mesh"} {
		text, path := wavy, filepath.Join(dir, file)
		if strings.HasSuffix(file, "solid.mesh") {
			text, err = brick, meshio.WriteSolid(path, solid)
		} else {
			err = meshio.Write(path, plane)
		}
		if err != nil {
			t.Fatal(err)
		}
		for c := range plane.Cells {
			plane.Cells[c][1], plane.Cells[c][2] = plane.Cells[c][2], plane.Cells[c][1]
		}
		for c := range solid.Cells {
			solid.Cells[c][0], solid.Cells[c][1] = solid.Cells[c][1], solid.Cells[c][0]
		}
		s, err := runtest.Run(t, text, 1, 1, runtest.Local, t.TempDir(), `mesh={file="`+path+`"}`, "method.untangle=true")
		if err != nil {
			t.Fatal(err)
		}
		states[text] = append(states[text], s.StateSHA256)
	}
	for _, both := range states {
		if both[0] != both[1] {
			t.Errorf("states %s", both)
		}
	}
}
