package vtk

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// Integer cell arrays that are constant on parts of a mesh are groups of cells, under the same name when written again;
// a note names those that are not taken. Arrays of numbers that are not constant on parts, and partitions, are fields.
func TestMaterials(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 2, 1, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Tagged, m.Groups = nil, nil
	n := len(m.Cells)
	halves, ids, mixed, zeros := make([]int32, n), make([]int64, n), make([]int8, n), make([]uint16, n)
	whole, broken := make([]float64, n), make([]float64, n)
	for c := range n {
		x, _ := m.Centroid(c)
		if x > 1 {
			halves[c] = 7
		}
		ids[c], mixed[c], whole[c], broken[c] = int64(c), int8(c*7%5%2), float64(halves[c]), x
	}
	for name, c := range map[string]struct {
		arrays Arrays
		groups string // the array of groups, "" for none
		note   string
		fields []string
	}{
		"OpenGeoSys":      {Arrays{{Name: "MaterialIDs", Data: halves}}, "MaterialIDs", "", nil},
		"Medit by meshio": {Arrays{{Name: "medit:ref", Data: halves}}, "medit:ref", "", nil},
		"any name": {Arrays{{Name: "mat", Data: halves}}, "mat",
			`groups of cells are those of the integer cell field "mat"`, nil},
		"integers as reals": {Arrays{{Name: "MaterialIDs", Data: whole}}, "MaterialIDs", "", nil},
		"reals":             {Arrays{{Name: "MaterialIDs", Data: broken}}, "", "", []string{"MaterialIDs"}},
		"reals of any name": {Arrays{{Name: "Material", Data: whole}}, "",
			`the cell field "Material" of integers is not taken for groups`, []string{"Material"}},
		"reals of a group's name": {Arrays{{Name: "CellEntityIds", Data: whole}}, "CellEntityIds", "", nil},
		"ids":                     {Arrays{{Name: "GlobalCellIds", Data: ids}}, "", "", []string{"GlobalCellIds"}},
		"mixed":                   {Arrays{{Name: "flag", Data: mixed}}, "", "", []string{"flag"}},
		"one value":               {Arrays{{Name: "mat", Data: zeros}}, "", "", []string{"mat"}},
		"a partition": {Arrays{{Name: "Rank", Data: halves}}, "",
			`the cell field "Rank" of integers is not taken for groups`, []string{"Rank"}},
		"physical first": {Arrays{{Name: "mat", Data: halves}, {Name: "gmsh:physical", Data: halves}}, "gmsh:physical",
			`the cell field "mat" of integers is not taken for groups`, []string{"mat"}},
		"entities of groups": {Arrays{{Name: "gmsh:geometrical", Data: halves}, {Name: "gmsh:physical", Data: halves}},
			"gmsh:physical", "", []string{"gmsh:geometrical"}},
		"behind ids": {Arrays{{Name: "id", Data: ids}, {Name: "soil", Data: halves}}, "soil",
			`groups of cells are those of the integer cell field "soil"`, []string{"id"}},
	} {
		g := Triangles(m.X, m.Y, m.Cells)
		g.CellData = c.arrays
		path := filepath.Join(t.TempDir(), "a.vtu")
		if err := Write(path, g); err != nil {
			t.Fatal(err)
		}
		for range 2 { // as written by another program, and then by WriteMesh
			got, err := ReadMesh(path)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got.GroupArray != c.groups || (got.CellGroup != nil) != (c.groups != "") ||
				!slices.Equal(mesh.FieldNames(got.CellData), c.fields) {
				t.Errorf("%s: groups of %q, fields %q", name, got.GroupArray, mesh.FieldNames(got.CellData))
			}
			for i := range got.CellGroup {
				if (got.CellGroup[i] >= 0) != (halves[i] == 7) {
					t.Fatalf("%s: cell %d has group %d", name, i, got.CellGroup[i])
				}
			}
			if (c.note == "") != (len(got.Notes) == 0) || c.note != "" && !strings.HasPrefix(got.Notes[0], c.note) {
				t.Errorf("%s: notes %q, want %q", name, got.Notes, c.note)
			}
			if c.groups == "" || len(c.fields) > 0 {
				break // fields are written as real numbers
			}
			if err := WriteMesh(path, got); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// So are those of tetrahedra.
func TestMaterialsOfSolids(t *testing.T) {
	s, err := mesh.Cube(4, 4, 4, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Faces = nil
	lower := make([]int32, len(s.Cells))
	for c := range lower {
		if lower[c] = 3; s.Centroid(c)[2] > .5 {
			lower[c] = 4
		}
	}
	for _, name := range []string{"MaterialIDs", "medit:ref", "soil", "rank"} {
		g := Tetrahedra(s.X, s.Y, s.Z, s.Cells)
		g.CellData = Arrays{{Name: name, Data: lower}}
		path := filepath.Join(t.TempDir(), "a.vtu")
		if err := Write(path, g); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSolid(path)
		if err != nil {
			t.Fatal(err)
		}
		if name == "rank" {
			if got.CellTag != nil || len(got.Notes) != 1 {
				t.Errorf("%s: tags %v, notes %q", name, got.CellTag, got.Notes)
			}
			continue
		}
		if !slices.Equal(got.CellTag, lower) || got.GroupArray != name {
			t.Errorf("%s: tags %v of %q", name, got.CellTag, got.GroupArray)
		}
		if err := WriteSolid(path, got); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadSolid(path); err != nil || !slices.Equal(again.CellTag, lower) || again.GroupArray != name {
			t.Errorf("%s: written and read: %v", name, err)
		}
	}
}
