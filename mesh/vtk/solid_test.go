package vtk

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// A mesh of tetrahedra has the same bits, tags and fields after writing and reading.
func TestSolidRoundTrip(t *testing.T) {
	s, err := mesh.Cube(3, 3, 3, .1, 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cube.vtu")
	quality := make([]float64, len(s.Cells))
	s.CellData = map[string][]float64{"quality": quality}
	s.VertexData = map[string][]float64{"depth": s.Z}
	s.Groups = []mesh.Group{{Dim: 2, Tag: 3, Name: "inlet"}, {Dim: 3, Tag: 8, Name: "inlet"}, {Dim: 2, Tag: 1,
		Name: "wall"}}
	for _, tags := range [][]int32{nil, make([]int32, len(s.Cells))} {
		if s.CellTag = tags; tags != nil {
			tags[5] = 8
		}
		if err := WriteSolid(path, s); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSolid(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, s) {
			t.Errorf("the mesh read, of %d cells and %d faces, differs from the one written", len(got.Cells), len(got.Faces))
		}
	}
	if _, err := ReadMesh(path); err == nil {
		t.Error("ReadMesh accepts tetrahedra, want an error")
	}
	g, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if q, ok := g.CellData.Find("quality"); !ok || q.Tuples() != len(s.Cells)+len(s.Faces) {
		t.Errorf("the field has %d values, want %d", q.Tuples(), len(s.Cells)+len(s.Faces))
	}
	s.CellData["quality"] = quality[1:]
	if err := WriteSolid(path, s); err == nil {
		t.Error("WriteSolid accepts a field with too few values, want an error")
	}
}

// VTK reads the tetrahedra and their tagged faces.
func TestSolidInVTK(t *testing.T) {
	s, err := mesh.Cube(2, 2, 2, .1, 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cube.vtu")
	if err := WriteSolid(path, s); err != nil {
		t.Fatal(err)
	}
	// 27 points and 96 cells: 48 tetrahedra of VTK's type 10, and 48 triangles of type 5. The types add up to 720.
	if got := askVTK(t, path); !strings.Contains(got, "27 96 error 0") || !strings.Contains(got, "types 720") {
		t.Errorf("VTK reads\n%s", got)
	}
}

func TestReadSolidRefusals(t *testing.T) {
	for _, c := range []struct {
		g    Grid
		want string
	}{
		{Grid{Points: make([]float64, 12), Connectivity: []int64{0, 1, 2, 3}, Offsets: []int64{4}, Types: []uint8{12}},
			"cell 0 is of VTK type 12"},
		{Grid{Points: make([]float64, 12), Connectivity: []int64{0, 1, 2}, Offsets: []int64{3}, Types: []uint8{10}},
			"3 points"},
		{Grid{Points: make([]float64, 12), Connectivity: []int64{0, 1, 2, 3}, Offsets: []int64{4}, Types: []uint8{10},
			CellData: Arrays{{Name: "physical", Data: []int64{1 << 40}}}}, "more than 32 bits"},
		{Grid{Points: make([]float64, 12), Connectivity: []int64{0, 1, 2, 3}, Offsets: []int64{4}, Types: []uint8{10},
			CellData: Arrays{{Name: "physical", Data: []float64{1.5}}}}, "single integers"},
	} {
		if _, err := c.g.solid(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
