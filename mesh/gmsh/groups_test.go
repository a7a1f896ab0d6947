package gmsh

import (
	"bytes"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh/internal/write"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Elementary entities, numbered 4 and 6, are groups where no physical ones exist.
var (
	elementary41 = strings.NewReplacer(" 2 -5 6 0", " 0 0", " 1 20 0", " 0 0", "0 1 1 0\n", "0 1 2 0\n",
		"$EndEntities", "6 0 0 0 1 1 0 0 0\n$EndEntities", "2 3 1 3\n2 8 2 2\n1 1 2 3\n2 1 3 4\n",
		"3 3 1 3\n2 8 2 1\n1 1 2 3\n2 6 2 1\n2 1 3 4\n").Replace(cells41)
	elementary22 = strings.NewReplacer("2 2 2 20 1 1 3 9", "2 2 2 0 6 1 3 9", "1 2 2 20 1", "1 2 2 0 8",
		"$Elements\n2", "$Elements\n4", "$EndElements", "3 1 2 0 4 1 7\n4 15 2 0 3 9\n$EndElements").Replace(cells22)
)

// Read keeps what distinguishes the cells and sides of a file: elementary entities without physical groups, several
// groups of a cell, partitions and parametric nodes, periodic sides, and fields on some nodes.
func TestGroupsOfFile(t *testing.T) {
	several := mesh.Group{Dim: 2, Tag: 22, Name: "20 and 21"}
	for name, c := range map[string]struct {
		text string
		want func(m *mesh.Mesh) bool
	}{
		"elementary entities of 4.1": {elementary41, func(m *mesh.Mesh) bool {
			return reflect.DeepEqual(m.Groups, []mesh.Group{{Dim: 2, Tag: 8, Name: "8"}, {Dim: 2, Tag: 6, Name: "6"},
				{Dim: 1, Tag: 4, Name: "4"}}) && slices.Equal(m.CellGroup, []int32{0, 1}) && len(m.Tagged) == 1
		}},
		"elementary entities of 2.2": {elementary22, func(m *mesh.Mesh) bool {
			return len(m.Groups) == 3 && slices.Equal(m.CellGroup, []int32{0, 1}) && len(m.Tagged) == 1 &&
				reflect.DeepEqual(m.Marks.Points, []mesh.MarkedPoint{{V: 3, Tag: 3}})
		}},
		"one elementary surface": {strings.Replace(strings.Replace(elementary22, "0 6 1 3 9", "0 8 1 3 9", 1), "0 8 1 7 3",
			"0 8 1 7 3", 1), func(m *mesh.Mesh) bool { return m.CellGroup == nil && len(m.Tagged) == 1 }},
		"a physical curve": {strings.Replace(elementary22, "3 1 2 0 4", "3 1 2 5 4", 1), func(m *mesh.Mesh) bool {
			return slices.Equal(m.CellGroup, []int32{1, 2}) && len(m.Groups) == 3 && m.Marks == nil
		}},
		"a physical surface of three": {strings.NewReplacer("$Elements\n4", "$Elements\n5", "2 2 2 0 6 1 3 9",
			"2 2 2 8 6 1 3 9\n5 2 2 0 7 1 3 9").Replace(elementary22), func(m *mesh.Mesh) bool {
			return len(m.Cells) == 3 && len(m.Groups) == 3 && m.Groups[0].Tag == 8 && m.Groups[1].Tag == 9 &&
				m.Groups[2].Tag == 7 && slices.Equal(m.CellGroup, []int32{1, 0, 2})
		}},
		"a physical surface of two": {strings.Replace(elementary22, "2 2 2 0 6 1 3 9", "2 2 2 8 6 1 3 9", 1),
			func(m *mesh.Mesh) bool { return len(m.Groups) == 1 && slices.Equal(m.CellGroup, []int32{-1, 0}) }},
		"two groups of a surface of 4.1": {strings.Replace(cells41, "1 20 0", "2 20 21 0", 1), func(m *mesh.Mesh) bool {
			return slices.Contains(m.Groups, several) && m.Groups[m.CellGroup[1]] == several &&
				reflect.DeepEqual(m.Combined, map[int][]int{22: {20, 21}})
		}},
		"two groups of a cell of 2.2": {strings.Replace(strings.Replace(cells22, "$Elements\n2", "$Elements\n3", 1),
			"$EndElements", "3 2 2 21 1 1 3 9\n$EndElements", 1), func(m *mesh.Mesh) bool {
			return len(m.Cells) == 2 && m.CellGroup[0] == 0 && m.Groups[m.CellGroup[1]] == several
		}},
		"partitions": {strings.NewReplacer("$Nodes", "$PartitionedEntities\n2\n0\n0 1 2 0\n4 1 4 1 1 0 0 0 1 1 0 0 0\n"+
			"8 2 8 1 1 0 0 0 1 1 0 1 20 0\n9 2 8 1 2 0 0 0 1 1 0 1 21 0\n$EndPartitionedEntities\n$Nodes",
			"2 3 1 3\n2 8 2 2\n1 1 2 3\n2 1 3 4\n", "3 3 1 3\n2 8 2 1\n1 1 2 3\n2 9 2 1\n2 1 3 4\n").Replace(cells41),
			func(m *mesh.Mesh) bool {
				return len(m.CellGroup) == 2 && m.Groups[m.CellGroup[0]].Tag == 20 && m.Groups[m.CellGroup[1]].Tag == 21 &&
					len(m.Tagged) == 0 && slices.Equal(m.Marks.Skipped, []string{"the partition into 2 parts"})
			}},
		"interfaces of partitions": {strings.NewReplacer("$Nodes", "$PartitionedEntities\n2\n0\n1 2 2 0\n"+
			"3 1 4 2 1 2 0 0 0 1 7\n4 1 4 1 1 0 0 0 1 1 0 1 5 0\n5 2 8 2 1 2 0 0 0 1 1 0 1 20 0\n8 2 8 1 1 0 0 0 1 1 0 1 20 0\n"+
			"9 2 8 1 2 0 0 0 1 1 0 1 20 0\n$EndPartitionedEntities\n$Nodes", "2 3 1 3\n2 8 2 2\n1 1 2 3\n2 1 3 4\n",
			"5 5 1 5\n0 3 15 1\n5 1\n1 5 1 1\n4 1 3\n2 8 2 1\n1 1 2 3\n2 9 2 1\n2 1 3 4\n").Replace(cells41),
			func(m *mesh.Mesh) bool {
				return len(m.Tagged) == 1 && m.Groups[m.Tagged[0].Group] == mesh.Group{Dim: 1, Tag: 5, Name: "5"} &&
					slices.Equal(m.CellGroup, []int32{2, 2}) && len(m.Marks.Points) == 0
			}},
		"groups of parts of 2.2": {strings.NewReplacer("$Nodes", "$PhysicalNames\n5\n2 20 \"all\"\n"+
			"2 31 \"_part{1}_physical{20}_dim{2}\"\n2 32 \"_part{2}_physical{20}_dim{2}\"\n"+
			"1 33 \"_part{1,2}_physical{20}_dim{1}\"\n1 34 \"_part{1}_physical{0}_dim{1}\"\n$EndPhysicalNames\n$Nodes",
			"1 2 2 20 1", "1 2 2 31 1", "2 2 2 20 1", "2 2 2 32 2", "$Elements\n2", "$Elements\n4",
			"$EndElements", "3 1 2 33 1 7 3\n4 1 2 34 1 1 7\n$EndElements").Replace(cells22), func(m *mesh.Mesh) bool {
			return reflect.DeepEqual(m.Groups, []mesh.Group{{Dim: 2, Tag: 20, Name: "all"}}) && len(m.Tagged) == 0 &&
				slices.Equal(m.CellGroup, []int32{0, 0}) && slices.Equal(m.Marks.Skipped, []string{"the partition"})
		}},
		"parametric nodes of 2.2": {strings.NewReplacer("Nodes", "ParametricNodes", "7 1 0 0", "7 1 0 0 1 4 0.5",
			"9 0 1 0", "9 0 1 0 2 8 0.25 1").Replace(cells22), func(m *mesh.Mesh) bool {
			return slices.Equal(m.X, []float64{0, 1, 1, 0}) && slices.Equal(m.CellGroup, []int32{0, 0})
		}},
		"periodic sides of 2.2": {cells22 + "$Periodic\n1\n1 2 4\nAffine 1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1\n2\n7 1\n3 9\n" +
			"$EndPeriodic\n", func(m *mesh.Mesh) bool {
			return len(m.Marks.Periodic) == 1 && len(m.Marks.Periodic[0].Affine) == 16 &&
				reflect.DeepEqual(m.Marks.Periodic[0].Pairs, [][2]int32{{1, 0}, {2, 3}}) &&
				!slices.Contains(m.Marks.Held(4), false)
		}},
		"periodic sides of 4.1": {cells41 + "$Periodic\n1\n1 2 4\n0\n2\n2 1\n3 4\n$EndPeriodic\n", func(m *mesh.Mesh) bool {
			return len(m.Marks.Periodic) == 1 && reflect.DeepEqual(m.Marks.Periodic[0].Pairs, [][2]int32{{1, 0}, {2, 3}})
		}},
		"field on some nodes": {cells22 + field("NodeData", "2\n9 1\n1 2\n"), func(m *mesh.Mesh) bool {
			b := m.VertexData["b"]
			return b[0] == 2 && math.IsNaN(b[1]) && math.IsNaN(b[2]) && b[3] == 1 &&
				slices.Equal(m.Notes, []string{`vertex field "b" has 2 values for 4 vertices: it is NaN at the others`})
		}},
		"field on some cells": {cells41 + field("ElementData", "1\n2 7\n"), func(m *mesh.Mesh) bool {
			return math.IsNaN(m.CellData["b"][0]) && m.CellData["b"][1] == 7 && len(m.Notes) == 1
		}},
		"vectors are named": {cells22 + strings.Replace(field("NodeData", "1\n9 1 2 3\n"), "0\n1\n", "0\n3\n", 1),
			func(m *mesh.Mesh) bool {
				return slices.Equal(m.Marks.Skipped, []string{`vertex field "b" of 3 components`})
			}},
	} {
		m, err := parse([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !c.want(m) {
			t.Errorf("%s: got %+v, marks %+v", name, m, m.Marks)
		}
	}
}

// Groups of which a cell has several, points in groups and periodic sides are the same after writing and reading.
func TestGroupsRoundTrip(t *testing.T) {
	text := strings.NewReplacer("1 20 0", "2 20 21 0", "0 1 1 0\n", "1 1 1 0\n3 0 0 0 1 7\n", "2 3 1 3\n",
		"3 4 1 4\n0 3 15 1\n9 3\n").Replace(cells41) + "$Periodic\n2\n0 3 3\n0\n1\n1 4\n1 4 9\n0\n2\n1 4\n2 3\n$EndPeriodic\n"
	want, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want.Groups[0], want.Groups[1] = mesh.Group{Dim: 1, Tag: 5, Name: "south"}, mesh.Group{Dim: 1, Tag: 6, Name: "6"}
	for _, binary := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.msh")
		if err := Write(path, want, binary); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Groups, want.Groups) || !reflect.DeepEqual(got.Combined, want.Combined) ||
			!reflect.DeepEqual(got.Marks.Points, want.Marks.Points) || len(got.Marks.Periodic) != 1 ||
			!reflect.DeepEqual(got.Marks.Periodic[0].Pairs, want.Marks.Periodic[1].Pairs) ||
			!reflect.DeepEqual(got.Tagged, want.Tagged) || !reflect.DeepEqual(got.CellGroup, want.CellGroup) {
			t.Errorf("binary %v:\n got %+v, marks %+v\nwant %+v, marks %+v", binary, got, got.Marks, want, want.Marks)
		}
	}
}

// Tetrahedra in several groups, or of several volumes without groups, keep them.
func TestGroupsOfSolid(t *testing.T) {
	both, err := parseSolid([]byte(strings.Replace(tetGmsh, "1 0 0 0 1 1 1 1 5 0", "1 0 0 0 1 1 1 2 5 6 0", 1)))
	if err != nil || !slices.Equal(both.CellTag, []int32{7}) ||
		!reflect.DeepEqual(both.Combined, map[int][]int{7: {5, 6}}) {
		t.Fatalf("in two groups: %v, %+v", err, both)
	}
	var b bytes.Buffer
	if err := write.To(&b, meshfile.OfSolid(both), false); err != nil {
		t.Fatal(err)
	}
	if again, err := parseSolid(b.Bytes()); err != nil || !reflect.DeepEqual(again, both) {
		t.Errorf("written and read: %v\n got %+v\nwant %+v", err, again, both)
	}
	plain := strings.NewReplacer("1 9\n", "0\n", " 1 8 0", " 0 0", " 2 2 3 0", " 0 0", " 1 5 0", " 0 0").Replace(tetGmsh)
	s, err := parseSolid([]byte(plain))
	if err != nil || s.CellTag != nil || len(s.Faces) != 2 || s.Faces[1].Tag != 2 || len(s.Marks.Lines) != 1 ||
		s.Marks.Lines[0].Tag != 1 || len(s.Marks.Points) != 1 {
		t.Errorf("elementary entities: %v, %+v, marks %+v", err, s, s.Marks)
	}
	parted := strings.Replace(tetGmsh, "$Nodes", "$PartitionedEntities\n2\n0\n0 0 1 1\n"+
		"2 3 1 2 1 2 0 0 0 1 1 0 1 5 0\n1 3 1 1 1 0 0 0 1 1 1 1 5 0\n$EndPartitionedEntities\n$Nodes", 1)
	s, err = parseSolid([]byte(parted))
	if err != nil || !slices.Equal(s.CellTag, []int32{5}) || slices.ContainsFunc(s.Faces, func(f mesh.TaggedFace) bool {
		return f.Tag == 5
	}) {
		t.Errorf("an interface of partitions: %v, %+v", err, s)
	}
}
