package vtk

import (
	"path/filepath"
	"reflect"
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

// An array with one value for all cells divides nothing: the next that divides has the groups of cells, and a physical
// array those of sides and points. Elementary entities are groups of cells without a physical one, as in Gmsh. Arrays
// of more components divide nothing.
func TestMaterialsBehindOthers(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 3, 1, 300, 1)
	if err != nil {
		t.Fatal(err)
	}
	n := len(m.Cells)
	of := func(right, left, side, point int32) []int32 { // tags of n cells, a line and a vertex
		tags := make([]int32, n, n+2)
		for c := range tags {
			if tags[c] = left; m.X[m.Cells[c][0]] > 1.5 {
				tags[c] = right
			}
		}
		return append(tags, side, point)
	}
	thirds := of(7, 0, 0, 0) // a group, and two entities without one
	entities := of(1, 2, 0, 0)
	for c := range n {
		if x, _ := m.Centroid(c); thirds[c] == 0 && x < .7 {
			entities[c] = 7
		}
	}
	name := func(name string, tag, dim int32) Array {
		return Array{Name: name, Components: 2, Data: []int32{tag, dim}}
	}
	for what, c := range map[string]struct {
		arrays Arrays
		names  Arrays
		groups string
		right  string // name of the group of cells at the right
		sides  int    // tag of the line, 0 for none
		points int    // and of the vertex
		cells  int    // number of groups of cells
		lost   []string
	}{
		"meshio without physical groups": {arrays: Arrays{{Name: "gmsh:physical", Data: of(0, 0, 0, 0)},
			{Name: "gmsh:geometrical", Data: of(1, 2, 5, 6)}},
			groups: "gmsh:geometrical", right: "1", sides: 5, points: 6, cells: 2},
		"entities first in the file": {arrays: Arrays{{Name: "gmsh:geometrical", Data: of(1, 2, 5, 6)},
			{Name: "gmsh:physical", Data: of(0, 0, 0, 0)}},
			groups: "gmsh:geometrical", right: "1", sides: 5, points: 6, cells: 2},
		"physical curves alone": {arrays: Arrays{{Name: "gmsh:physical", Data: of(0, 0, 9, 0)},
			{Name: "gmsh:geometrical", Data: of(1, 2, 5, 6)}}, groups: "gmsh:geometrical", right: "1", sides: 9, cells: 2},
		"one physical surface": {arrays: Arrays{{Name: "gmsh:physical", Data: of(4, 4, 0, 0)},
			{Name: "gmsh:geometrical", Data: of(1, 2, 5, 6)}}, groups: "gmsh:physical", right: "4", cells: 1},
		"entities beside a group": {arrays: Arrays{{Name: "gmsh:physical", Data: thirds},
			{Name: "gmsh:geometrical", Data: entities}}, groups: "gmsh:physical", right: "7", cells: 3},
		"materials of zero": {arrays: Arrays{{Name: "MaterialIDs", Data: of(0, 0, 0, 0)},
			{Name: "soil", Data: of(3, 4, 0, 0)}}, groups: "soil", right: "3", cells: 2},
		"materials of one": {arrays: Arrays{{Name: "MaterialIDs", Data: of(1, 1, 1, 1)},
			{Name: "medit:ref", Data: of(3, 4, 2, 0)}}, groups: "medit:ref", right: "3", sides: 2, cells: 2},
		"a part behind materials": {arrays: Arrays{{Name: "soil", Data: of(3, 4, 0, 0)}, {Name: "a", Data: of(5, 5, 0, 0)},
			{Name: "ObjectId", Data: of(6, 6, 0, 0)}}, groups: "soil", right: "3", cells: 2},
		"one physical group": {arrays: Arrays{{Name: "physical", Data: of(5, 5, 0, 0)},
			{Name: "MaterialIDs", Data: of(3, 5, 0, 0)}}, names: Arrays{name("all", 5, 2)}, groups: "MaterialIDs", right: "3",
			cells: 2, lost: []string{`cell field "physical", 5 in all cells`}},
		"names of materials": {arrays: Arrays{{Name: "physical", Data: of(0, 0, 0, 0)},
			{Name: "MaterialIDs", Data: of(3, 5, 0, 0)}}, names: Arrays{name("clay", 3, 2)}, groups: "MaterialIDs",
			right: "clay", cells: 2},
		"one group of all": {arrays: Arrays{{Name: "MaterialIDs", Data: of(3, 3, 0, 0)}}, groups: "MaterialIDs", right: "3",
			cells: 1},
		"two physical arrays": {arrays: Arrays{{Name: "physical", Data: of(3, 5, 0, 0)},
			{Name: "CellEntityIds", Data: of(1, 2, 0, 0)}}, groups: "", right: "3", cells: 2,
			lost: []string{`cell field "CellEntityIds"`}},
		"vectors of cells": {arrays: Arrays{{Name: "MaterialIDs", Data: of(3, 4, 0, 0)},
			{Name: "U", Components: 3, Data: make([]float64, 3*(n+2))}}, groups: "MaterialIDs", right: "3", cells: 2},
	} {
		g := Triangles(m.X, m.Y, m.Cells)
		g.add(typeLine, m.Cells[0][0], m.Cells[0][1])
		g.add(typeVertex, m.Cells[0][2])
		g.CellData, g.FieldData = c.arrays, c.names
		path := filepath.Join(t.TempDir(), "a.vtu")
		if err := Write(path, g); err != nil {
			t.Fatal(err)
		}
		for pass := range 2 { // as written by another program, and then by WriteMesh
			got, err := ReadMesh(path)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if got.GroupArray != c.groups || got.Elementary != (c.groups == "gmsh:geometrical") {
				t.Errorf("%s: groups of %q, elementary %v", what, got.GroupArray, got.Elementary)
			}
			count := map[int32]bool{}
			for i, k := range got.CellGroup {
				if count[k] = true; m.X[m.Cells[i][0]] > 1.5 &&
					got.Groups[k].Name != c.right {
					t.Fatalf("%s: cell %d is in group %q, want %q", what, i, got.Groups[k].Name, c.right)
				}
			}
			if len(count) != c.cells {
				t.Errorf("%s: %d groups of cells, want %d", what, len(count), c.cells)
			}
			if (len(got.Tagged) > 0) != (c.sides > 0) || c.sides > 0 && got.Groups[got.Tagged[0].Group].Tag != c.sides {
				t.Errorf("%s: lines %v of groups %v, want the tag %d", what, got.Tagged, got.Groups, c.sides)
			}
			if pass == 0 {
				marks := got.Marks
				if marks == nil {
					marks = &mesh.Marks{}
				}
				if (len(marks.Points) > 0) != (c.points > 0) || c.points > 0 && int(marks.Points[0].Tag) != c.points {
					t.Errorf("%s: points %v, want the tag %d", what, marks.Points, c.points)
				}
				if !slices.Equal(marks.Skipped, c.lost) {
					t.Errorf("%s: not kept %q, want %q", what, marks.Skipped, c.lost)
				}
			}
			if err := WriteMesh(path, got); err != nil {
				t.Fatalf("%s: %v", what, err)
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
	g := Tetrahedra(s.X, s.Y, s.Z, s.Cells)
	g.add(typeLine, s.Cells[0][0], s.Cells[0][1])
	g.add(typeVertex, s.Cells[0][2])
	g.CellData = Arrays{{Name: "gmsh:physical", Data: make([]int32, len(lower)+2)},
		{Name: "gmsh:geometrical", Data: append(slices.Clone(lower), 8, 9)}}
	g.PointData = Arrays{{Name: "U", Components: 3, Data: make([]float64, 3*len(s.X))}}
	path := filepath.Join(t.TempDir(), "a.vtu")
	if err := Write(path, g); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSolid(path)
	if err != nil {
		t.Fatal(err)
	}
	want := &mesh.Marks{Lines: []mesh.MarkedEdge{{A: s.Cells[0][0], B: s.Cells[0][1], Tag: 8}},
		Points: []mesh.MarkedPoint{{V: s.Cells[0][2], Tag: 9}}}
	if !slices.Equal(got.CellTag, lower) || !reflect.DeepEqual(got.Marks, want) || len(got.Notes) > 0 {
		t.Errorf("entities: tags %v, marks %+v, want %+v; notes %q", got.CellTag, got.Marks, want, got.Notes)
	}
}
