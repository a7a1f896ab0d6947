package meshio

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

func TestRoundTrip(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 2, 1, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.VertexData = map[string][]float64{"depth": m.X}
	m.CellData = map[string][]float64{"area": make([]float64, len(m.Cells))}
	for c := range m.Cells {
		m.CellData["area"][c] = m.Area(c)
	}
	for _, name := range []string{"m.msh", "M.MSH", "m.vtu"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Write(path, m); err != nil {
			t.Fatal(err)
		}
		back, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, m) {
			t.Errorf("%s: the mesh read differs from the one written", name)
		}
	}
}

func TestReadsMedit(t *testing.T) {
	m, err := Read(filepath.Join("..", "medit", "testdata", "island.mesh"))
	if err != nil || len(m.Cells) != 92 {
		t.Errorf("error %v, mesh %+v; want 92 cells", err, m)
	}
}

func TestUnknownExtensions(t *testing.T) {
	for _, name := range []string{"m.stl", "m", "m.msh.gz"} {
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), "are read from .msh") {
			t.Errorf("%s: %v", name, err)
		}
		if err := Write(name, &mesh.Mesh{}); err == nil || !strings.Contains(err.Error(), "are written to .msh") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"none.msh", "none.mesh", "none.vtu"} {
		if _, err := Read(filepath.Join(t.TempDir(), name)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotKept(t *testing.T) {
	origin := &mesh.Origin{}
	groups := []mesh.Group{{Dim: 1, Tag: 4, Name: "wall"}, {Dim: 2, Tag: 7, Name: "7"}}
	points := map[string][]float64{"z": nil, "u": nil}
	cells := map[string][]float64{"rank": nil, "q": nil}
	want := `field "u", field "q", field "rank", the name "wall" of group 4`
	for _, name := range []string{"a.mesh", "a.MESHB"} {
		if got := NotKept(name, origin, groups, nil, points, cells); got != want {
			t.Errorf("%s: %s", name, got)
		}
		if got := NotKept(name, origin, groups[1:], &mesh.Marks{}, map[string][]float64{"z": nil}); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	marks := &mesh.Marks{Vertices: []int32{1}, Refs: []int32{0, 3}, Skipped: []string{"Normals"}}
	if got := NotKept("a.msh", origin, groups, marks, points, cells); got != "Normals, required vertices, "+
		"references of vertices" {
		t.Error(got)
	}
	if got := NotKept("a.mesh", origin, nil, marks); got != "Normals" {
		t.Error(got)
	}
	if got := NotKept("a.msh", origin, groups, nil, points, cells) + NotKept("a.vtu", origin, groups, nil, points,
		cells); got != "" {
		t.Error(got)
	}
	origin.Combined = map[int][]int{9: {7, 8}}
	marks = &mesh.Marks{Points: []mesh.MarkedPoint{{V: 1, Tag: 2}}, Periodic: []mesh.PeriodicSide{{Dim: 1}}}
	if got := NotKept("a.msh", origin, nil, marks); got != "" {
		t.Error(got)
	}
	if got, want := NotKept("a.vtu", origin, nil, marks), "groups of points, the relation of periodic sides, "+
		"that cells are in several groups (they are in group 9)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
