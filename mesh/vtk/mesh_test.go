package vtk

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/materials"
)

func TestMeshRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.vtu")
	rapid.Check(t, func(t *rapid.T) {
		want := drawMesh(t)
		if err := WriteMesh(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadMesh(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v, want\n%+v", got, want)
		}
	})
}

// drawMesh draws a mesh with random ids and coordinates; it need not be valid.
func drawMesh(t *rapid.T) *mesh.Mesh {
	n := rapid.IntRange(3, 20).Draw(t, "vertices")
	vertex := rapid.Int32Range(0, int32(n-1))
	coordinate := rapid.SliceOfN(rapid.Float64(), n, n)
	m := &mesh.Mesh{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y")}
	for range rapid.IntRange(0, 20).Draw(t, "cells") {
		m.Cells = append(m.Cells, [3]int32{vertex.Draw(t, "a"), vertex.Draw(t, "b"), vertex.Draw(t, "c")})
	}
	if m.Cells == nil {
		m.Cells = [][3]int32{}
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "groups") {
		dim := rapid.IntRange(1, 2).Draw(t, "dim")
		name := rapid.SampledFrom([]string{"", "inlet", "höhe & tiefe"}).Draw(t, "name")
		tag := rapid.SampledFrom([]int{i + 1, -i - 1, 1000 * (i + 1)}).Draw(t, "tag")
		m.Groups = append(m.Groups, mesh.Group{Dim: dim, Tag: tag, Name: fmt.Sprint(name, tag)})
	}
	grouped := false
	cellGroup := make([]int32, len(m.Cells))
	for i := range cellGroup {
		cellGroup[i] = rapid.Int32Range(-1, int32(len(m.Groups)-1)).Draw(t, "cell group")
		if g := cellGroup[i]; g >= 0 && m.Groups[g].Dim != 2 {
			cellGroup[i] = -1
		}
		grouped = grouped || cellGroup[i] >= 0
	}
	if grouped {
		m.CellGroup = cellGroup
	}
	for i, g := range m.Groups {
		if g.Dim == 1 {
			for range rapid.IntRange(0, 3).Draw(t, "edges") {
				m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: vertex.Draw(t, "a"), B: vertex.Draw(t, "b"), Group: int32(i)})
			}
		}
	}
	if rapid.Bool().Draw(t, "z") {
		z := coordinate.Draw(t, "z")
		z[0] = 1 // not zero everywhere
		if mesh.CheckHeights(m, z) != nil {
			z = slices.Repeat([]float64{1}, len(z))
		}
		m.VertexData = map[string][]float64{zField: z}
	}
	if rapid.Bool().Draw(t, "fields") {
		mesh.SetField(&m.VertexData, "b", coordinate.Draw(t, "b"))
		mesh.SetField(&m.CellData, "h1", rapid.SliceOfN(rapid.Float64(), len(m.Cells), len(m.Cells)).Draw(t, "h1"))
	}
	return m
}

// A group of cells and a group of edges may have the same name.
func TestGroupsThatShareAName(t *testing.T) {
	m := triangle()
	m.Groups = []mesh.Group{
		{Dim: 1, Tag: 3, Name: "harbour"}, {Dim: 2, Tag: 3, Name: "harbour"}, {Dim: 1, Tag: 4, Name: "sea"},
	}
	m.CellGroup = []int32{1}
	m.Tagged = []mesh.TaggedEdge{{A: 0, B: 1, Group: 0}, {A: 1, B: 2, Group: 2}}
	path := filepath.Join(t.TempDir(), "m.vtu")
	if err := WriteMesh(path, m); err != nil {
		t.Fatal(err)
	}
	got, err := ReadMesh(path)
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("got %+v, %v; want %+v", got, err, m)
	}
}

func triangle() *mesh.Mesh {
	return &mesh.Mesh{
		X: []float64{0, 1, 0}, Y: []float64{0, 0, 1}, Cells: [][3]int32{{0, 1, 2}},
	}
}

// ReadMesh reads a grid that VTK wrote, with lines, a vertex, tags and fields of several types.
func TestReadMeshOfVTK(t *testing.T) {
	m, err := ReadMesh("testdata/raw-zlib-32-little.vtu")
	if err != nil {
		t.Fatal(err)
	}
	if len(m.X) != madePoints || len(m.Cells) != madeTriangles || len(m.Tagged) != madeLines {
		t.Fatalf("%d vertices, %d cells, %d tagged edges", len(m.X), len(m.Cells), len(m.Tagged))
	}
	wantGroups := []mesh.Group{{Dim: 2, Tag: 1, Name: "1"}, {Dim: 2, Tag: 2, Name: "2"}, {Dim: 2, Tag: 3, Name: "3"},
		{Dim: 1, Tag: madeLineTag, Name: "7"}}
	if !reflect.DeepEqual(m.Groups, wantGroups) {
		t.Errorf("groups %v, want %v", m.Groups, wantGroups)
	}
	for i := range m.Cells {
		cell := 1 + madeLines + i // its number in the file
		if got, want := m.CellGroup[i], int32(i/trianglesInRow); got != want {
			t.Errorf("cell %d is in group %d, want %d", i, got, want)
		}
		if got, want := m.CellData["depth"][i], float64(cell)/7; got != want {
			t.Errorf("depth %g of cell %d, want %g", got, i, want)
		}
		if got, want := m.CellData["char"][i], float64(cell-10); got != want {
			t.Errorf("char %g of cell %d, want %g", got, i, want)
		}
	}
	if want := (mesh.TaggedEdge{A: 1, B: 2, Group: 3}); m.Tagged[1] != want {
		t.Errorf("tagged edge %v, want %v", m.Tagged[1], want)
	}
	if m.VertexData[zField][madePoints-1] != 3 || m.VertexData["id"][7] != 7 || m.VertexData["velocity"] != nil {
		t.Errorf("vertex data %v", m.VertexData)
	}
}

func TestReadMeshRefusals(t *testing.T) {
	if _, err := ReadMesh("testdata/quad.vtu"); err == nil || !strings.Contains(err.Error(), "cell 1 is of VTK type 9") {
		t.Errorf("a quadrilateral: error %v", err)
	}
	path := filepath.Join(t.TempDir(), "m.vtu")
	for _, c := range []struct {
		want    string
		corrupt func(g *Grid)
	}{
		{`"physical", the tags of groups, has values that are not single integers`,
			func(g *Grid) { g.CellData[0].Data = slices.Repeat([]float64{.5}, madeCells) }},
		{`the file has a point array "z"`, func(g *Grid) { g.PointData[1].Name = "z" }},
		{`both name the group`, func(g *Grid) {
			g.FieldData = Arrays{{Name: "a", Components: 2, Data: []int32{1, 2}},
				{Name: "b", Components: 2, Data: []int32{1, 2}}}
		}},
		{`has 2 points`, func(g *Grid) { g.Types[1] = typeTriangle }},
	} {
		g := madeGrid()
		c.corrupt(g)
		if err := Write(path, g); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMesh(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestWriteMeshRefusals(t *testing.T) {
	for _, c := range []struct {
		want    string
		corrupt func(m *mesh.Mesh)
	}{
		{"tag 0", func(m *mesh.Mesh) { m.Groups = []mesh.Group{{Dim: 1}} }},
		{"of no other group", func(m *mesh.Mesh) { m.Groups = []mesh.Group{{Dim: 1, Tag: 1}, {Dim: 1, Tag: 1}} }},
		{"cell 0 is in group 1", func(m *mesh.Mesh) { m.Groups, m.CellGroup = []mesh.Group{{Dim: 2, Tag: 1}}, []int32{1} }},
		{"edge 0 is in group 0", func(m *mesh.Mesh) {
			m.Groups, m.Tagged = []mesh.Group{{Dim: 2, Tag: 1}}, []mesh.TaggedEdge{{A: 0, B: 1}}
		}},
		{"would be read as group tags", func(m *mesh.Mesh) { mesh.SetField(&m.CellData, materials.Written, []float64{1}) }},
		{`"z" has 1 values for 3`, func(m *mesh.Mesh) { mesh.SetField(&m.VertexData, zField, []float64{1}) }},
		{"refers to point 3", func(m *mesh.Mesh) { m.Cells[0][2] = 3 }},
		{"3 x and 2 y", func(m *mesh.Mesh) { m.Y = m.Y[1:] }},
	} {
		m := triangle()
		c.corrupt(m)
		err := WriteMesh(filepath.Join(t.TempDir(), "m.vtu"), m)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
