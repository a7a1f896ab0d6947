package mesh

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var islandFiles = []string{"island-22.msh", "island-22-binary.msh", "island-41.msh", "island-41-binary.msh"}

// TestReadsGmshFiles reads what Gmsh made of one geometry in each version and encoding; see testdata/island.geo.
func TestReadsGmshFiles(t *testing.T) {
	var first *Mesh
	for _, name := range islandFiles {
		m, err := ReadGmsh(filepath.Join("testdata", name))
		if err != nil {
			t.Error(err)
			continue
		}
		checkIsland(t, name, m)
		if first == nil {
			first = m
			continue
		}
		if !reflect.DeepEqual(m.Cells, first.Cells) || !reflect.DeepEqual(m.CellGroup, first.CellGroup) ||
			!reflect.DeepEqual(m.Tagged, first.Tagged) || !closeTo(m.X, first.X) ||
			!closeTo(m.Y, first.Y) {
			t.Errorf("%s differs from %s", name, islandFiles[0])
		}
	}
}

func checkIsland(t *testing.T, name string, m *Mesh) {
	t.Helper()
	want := []Group{{1, 3, "open sea"}, {1, 5, "shore"}, {2, 20, "west"}, {2, 21, "21"}}
	if !reflect.DeepEqual(m.Groups, want) {
		t.Fatalf("%s: groups %v, want %v", name, m.Groups, want)
	}
	if err := m.Check(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	nb, err := m.Neighbours()
	if err != nil {
		t.Fatal(err)
	}
	groups, err := m.BoundaryGroups(nb)
	if err != nil {
		t.Fatal(err)
	}
	var length [2]float64
	for c := range nb {
		for k, o := range nb[c] {
			if (o < 0) != (groups[c][k] >= 0) {
				t.Fatalf("%s: slot %d of cell %d: neighbour %d, group %d", name, k, c, o, groups[c][k])
			}
			if o < 0 {
				length[groups[c][k]] += m.EdgeLength(c, k)
			}
		}
	}
	var area [2]float64
	for c := range m.Cells {
		area[m.CellGroup[c]-2] += m.Area(c)
	}
	// The island is a polygon of the number of corners that its edges are, in a circle of radius one half.
	n := 0
	for _, e := range m.Tagged {
		if e.Group == 1 {
			n++
		}
	}
	corners := float64(n)
	island := corners / 8 * math.Sin(2*math.Pi/corners)
	for _, v := range [][2]float64{
		{length[0], 12}, {length[1], corners * math.Sin(math.Pi/corners)}, {area[0], 4 - island}, {area[1], 4},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("%s: length or area %.12g, want %.12g", name, v[0], v[1])
		}
	}
}

// closeTo allows for the digits that Gmsh writes in text: 16, and 14 in Medit files.
func closeTo(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-13*math.Max(1, math.Abs(a[i])) {
			return false
		}
	}
	return true
}

// TestGmshRoundTrip writes meshes with all that one can hold and reads the same bits back.
func TestGmshRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		m := laden(rapid.IntRange(2, 100).Draw(t, "cells"), rapid.Uint64().Draw(t, "seed"))
		for _, bin := range []bool{false, true} {
			path := filepath.Join(dir, "m.msh")
			if err := WriteGmsh(path, m, bin); err != nil {
				t.Fatal(err)
			}
			back, err := ReadGmsh(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, m) {
				t.Fatalf("binary %v: got %+v\nwant %+v", bin, back, m)
			}
		}
	})
}

// laden is a mesh with groups, tagged edges, fields and a third coordinate.
func laden(cells int, seed uint64) *Mesh {
	m, err := Rectangle(0.1, -1e-7, 1, 1, cells, seed)
	if err != nil {
		panic(err)
	}
	m.Groups = append(m.Groups, Group{2, 1, "sea bed"}, Group{2, 700, "700"})
	m.CellGroup = make([]int32, len(m.Cells))
	n, b, z := make([]float64, len(m.Cells)), make([]float64, len(m.X)), make([]float64, len(m.X))
	for c := range m.Cells {
		m.CellGroup[c] = []int32{-1, 4, 5}[draw(seed, uint64(c))%3]
		n[c] = math.Float64frombits(draw(seed, uint64(c)) >> 2)
	}
	m.CellGroup[0] = 4
	for v := range m.X {
		b[v], z[v] = float64(v)/3, 1+float64(v)
	}
	m.CellData = map[string][]float64{"n (Manning)": n}
	m.VertexData = map[string][]float64{"depth": b, "z": z}
	return m
}

// TestGmshReadsOurFiles lets Gmsh itself read what WriteGmsh made and write it in version 2.2, field and all.
func TestGmshReadsOurFiles(t *testing.T) {
	gmsh, err := exec.LookPath("gmsh")
	if err != nil {
		t.Skip("skipped: gmsh is not installed, so that it cannot be asked to read our files")
	}
	m := laden(60, 5)
	m.CellData, m.VertexData = nil, map[string][]float64{"z": m.VertexData["z"]} // which gmsh -save would leave out
	for c := range m.CellGroup {
		m.CellGroup[c] = max(m.CellGroup[c], 4) // it saves cells of groups only
	}
	for _, bin := range []bool{false, true} {
		dir := t.TempDir()
		ours, theirs := filepath.Join(dir, "ours.msh"), filepath.Join(dir, "theirs.msh")
		if err := WriteGmsh(ours, m, bin); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(gmsh, ours, "-save", "-format", "msh22", "-bin", "-o", theirs).CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("Error")) || bytes.Contains(out, []byte("Warning")) {
			t.Fatalf("gmsh: %v\n%s", err, out)
		}
		back, err := ReadGmsh(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if len(back.Cells) != len(m.Cells) || len(back.Tagged) != len(m.Tagged) || !reflect.DeepEqual(back.X, m.X) ||
			!reflect.DeepEqual(back.VertexData, m.VertexData) || len(back.Groups) != len(m.Groups) {
			t.Errorf("binary %v: gmsh made %d cells of %d, %d edges of %d, groups %v", bin,
				len(back.Cells), len(m.Cells), len(back.Tagged), len(m.Tagged), back.Groups)
		}
	}
}

const nodes22 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n7 1 0 0\n3 1 1 0\n9 0 1 0\n$EndNodes\n"
const cells22 = nodes22 + "$Elements\n2\n1 2 2 20 1 1 7 3\n2 2 2 20 1 1 3 9\n$EndElements\n"
const nodes41 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 1 1 0\n4 0 0 0 1 1 0 2 -5 6 0\n8 0 0 0 1 1 0 1 20 0\n$EndEntities\n" +
	"$Nodes\n1 4 1 4\n2 8 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
const cells41 = nodes41 + "$Elements\n2 3 1 3\n2 8 2 2\n1 1 2 3\n2 1 3 4\n1 4 1 1\n3 1 2\n$EndElements\n"

// field returns a data section of one component.
func field(section, values string) string {
	return "$" + section + "\n1\n\"b\"\n1\n0.0\n3\n0\n1\n" + values + "$End" + section + "\n"
}

func TestGmshDetails(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want func(m *Mesh) bool
	}{
		"sparse node numbers": {cells22, func(m *Mesh) bool { return reflect.DeepEqual(m.Cells, [][3]int32{{0, 1, 2}, {0, 2, 3}}) }},
		"far node numbers": {strings.NewReplacer("\n9 0", "\n900000000000 0", "3 9\n", "3 900000000000\n").Replace(cells22),
			func(m *Mesh) bool { return reflect.DeepEqual(m.Cells, [][3]int32{{0, 1, 2}, {0, 2, 3}}) }},
		"unnamed group": {cells22, func(m *Mesh) bool { return reflect.DeepEqual(m.Groups, []Group{{2, 20, "20"}}) }},
		"no group":      {strings.ReplaceAll(cells22, " 20 ", " 0 "), func(m *Mesh) bool { return m.CellGroup == nil && m.Groups == nil }},
		"edge in two groups, one turned round": {cells41,
			func(m *Mesh) bool { return reflect.DeepEqual(m.Tagged, []TaggedEdge{{0, 1, 0}, {0, 1, 1}}) }},
		"third coordinate": {strings.Replace(cells22, "3 1 1 0", "3 1 1 0.5", 1),
			func(m *Mesh) bool { return reflect.DeepEqual(m.VertexData["z"], []float64{0, 0, 0.5, 0}) }},
		"other sections": {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nsay $Nodes\n$EndComments\n" + cells22[len("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"):] +
			"$Periodic\n0\n$EndPeriodic\n", func(m *Mesh) bool { return len(m.Cells) == 2 }},
		"DOS line ends": {strings.ReplaceAll(cells22, "\n", "\r\n"), func(m *Mesh) bool { return len(m.Cells) == 2 }},
		"vertex field": {cells22 + field("NodeData", "4\n9 1.5\n1 2\n7 -3e2\n3 4\n"),
			func(m *Mesh) bool { return reflect.DeepEqual(m.VertexData["b"], []float64{2, -300, 4, 1.5}) }},
		"cell field, with a value at the edge": {cells41 + field("ElementData", "3\n2 1.5\n1 2\n3 7\n"),
			func(m *Mesh) bool { return reflect.DeepEqual(m.CellData["b"], []float64{2, 1.5}) }},
		"field of edges alone": {cells41 + field("ElementData", "1\n3 7\n"), func(m *Mesh) bool { return m.CellData == nil }},
		"vectors are passed over": {cells22 + strings.Replace(field("NodeData", "1\n9 1 2 3\n"), "0\n1\n", "0\n3\n", 1),
			func(m *Mesh) bool { return m.VertexData == nil }},
	} {
		m, err := parseGmsh([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !c.want(m) {
			t.Errorf("%s: got %+v", name, m)
		}
	}
}

func TestGmshRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "line 1: \"\" is not $MeshFormat"},
		"another format": {"hello\n", "line 1: \"hello\" is not $MeshFormat"},
		"old version":    {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", "line 2: version \"4\": only 2.2 and 4.1 can be read; convert with gmsh"},
		"file type":      {"$MeshFormat\n4.1 2 8\n$EndMeshFormat\n", "line 2: file type 2"},
		"number size":    {"$MeshFormat\n4.1 0 4\n$EndMeshFormat\n", "line 2: numbers of 4 bytes"},
		"no mesh":        {"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "line 4: the file ends without $Nodes and $Elements"},
		"no triangles":   {nodes22 + "$Elements\n1\n1 1 2 20 1 1 7\n$EndElements\n", "the file has no triangles"},
		"quadrangle":     {nodes22 + "$Elements\n1\n17 3 2 20 1 1 7 3 9\n$EndElements\n", "line 13: element 17 is a quadrangle; a mesh is made of triangles"},
		"second order":   {nodes22 + "$Elements\n1\n17 9 2 20 1 1 7 3 9 1 1\n$EndElements\n", "line 13: element 17 is a triangle of second order"},
		"tetrahedron":    {nodes41 + "$Elements\n1 1 5 5\n3 1 4 1\n5 1 2 3 4\n$EndElements\n", "line 24: element 5 is a tetrahedron"},
		"odd type":       {nodes22 + "$Elements\n1\n17 93 2 20 1 1 7 3 9\n$EndElements\n", "element 17 is of type 93"},
		"short line":     {strings.Replace(cells22, "1 1 7 3\n", "1 1 7\n", 1), "line 13: the line ends where there should be a whole number"},
		"long line":      {strings.Replace(cells22, "1 1 7 3\n", "1 1 7 3 9\n", 1), "line 13: \"9\" follows where the line should end"},
		"not a number":   {strings.Replace(cells22, "7 1 0 0", "7 1 O 0", 1), "line 7: \"O\" is not a number"},
		"not whole":      {strings.Replace(cells22, "7 1 0 0", "7.5 1 0 0", 1), "line 7: \"7.5\" is not a whole number"},
		"too large":      {strings.Replace(cells22, "7 1 0 0", "7 1e999 0 0", 1), "line 7: \"1e999\" is not a number"},
		"node twice":     {strings.Replace(cells22, "7 1 0 0", "3 1 0 0", 1), "line 4: node 3 is given twice in this section"},
		"far node twice": {strings.NewReplacer("\n7 1", "\n900000 1", "\n9 0", "\n900000 1").Replace(cells22), "node 900000 is given twice"},
		"unknown node":   {strings.Replace(cells22, "1 1 7 3\n", "1 1 7 5\n", 1), "line 13: element 1 refers to node 5, which is not in $Nodes"},
		"count too high": {strings.Replace(cells22, "$Nodes\n4", "$Nodes\n5", 1), "line 10: \"$EndNodes\" is not a whole number"},
		"count too low":  {strings.Replace(cells22, "$Nodes\n4", "$Nodes\n3", 1), "line 9: \"9\" where $EndNodes should be"},
		"huge count":     {strings.Replace(cells22, "$Nodes\n4", "$Nodes\n400000000", 1), "400000000 nodes are announced, but only"},
		"negative count": {strings.Replace(cells22, "$Nodes\n4", "$Nodes\n-4", 1), "a count of -4 nodes"},
		"negative tags":  {strings.Replace(cells22, "1 2 2 20 1 1 7 3\n", "1 2 -2 20 1 1 7 3\n", 1), "line 13: element 1 has -2 tags"},
		"cut":            {cells22[:len(cells22)-14], "where $EndElements should be"},
		"no end":         {cells22 + "$Odd\nx", "line 16: section $\"Odd\" has no end"},
		"text between":   {cells22 + "more\n", "line 16: \"more\" is not the start of a section"},
		"elements first": {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n", "line 4: $Elements before $Nodes"},
		"nodes twice":    {nodes22 + nodes22[len("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"):], "line 11: a second section $Nodes"},
		"partitions":     {nodes41 + "$PartitionedEntities\n", "partitioned meshes cannot be read"},
		"two surface groups": {strings.Replace(cells41, "1 1 0 1 20 0", "1 1 0 2 20 21 0", 1),
			"line 7: surface 8 is in the physical groups 20 and 21; a cell can be in one only"},
		"blocks of fewer": {strings.Replace(cells41, "2 3 1 3", "2 4 1 4", 1), "the blocks hold 3 elements of 4"},
		"block of more":   {strings.Replace(cells41, "2 3 1 3", "2 2 1 3", 1), "line 26: a block of 1 elements where at most 0 are to come"},
		"block of nodes":  {strings.Replace(cells41, "2 8 0 4", "2 8 0 5", 1), "line 11: a block of 5 nodes where at most 4"},
		"nodes of fewer":  {strings.Replace(cells41, "2 8 0 4", "2 8 0 0", 1), "the blocks hold 0 nodes of 4"},
		"dimension":       {strings.Replace(cells41, "2 8 2 2", "1 8 2 2", 1), "elements of 3 nodes on an entity of dimension 1"},
		"name without quote": {strings.Replace(cells22, "$Nodes", "$PhysicalNames\n1\n2 20 sea\n$EndPhysicalNames\n$Nodes", 1),
			"line 6: \"sea\" is not a name in double quotes"},
		"name twice": {strings.Replace(cells22, "$Nodes", "$PhysicalNames\n2\n2 20 \"sea\"\n2 21 \"sea\"\n$EndPhysicalNames\n$Nodes", 1),
			"line 7: two physical groups of dimension 2 have the name \"sea\""},
		"tag twice": {strings.Replace(cells22, "$Nodes", "$PhysicalNames\n2\n2 20 \"sea\"\n2 20 \"bay\"\n$EndPhysicalNames\n$Nodes", 1),
			"line 7: physical group 20 of dimension 2 has two names, \"sea\" and \"bay\""},
		"number as name": {strings.Replace(cells22, "$Nodes", "$PhysicalNames\n1\n2 21 \"20\"\n$EndPhysicalNames\n$Nodes", 1),
			"element 1: two physical groups of dimension 2 have the name \"20\""},
		"field of some":    {cells22 + field("NodeData", "3\n9 1\n1 2\n7 3\n"), "line 16: the vertex field \"b\" has 3 values for 4"},
		"field twice":      {cells41 + field("ElementData", "2\n1 1\n2 2\n") + field("ElementData", "2\n1 1\n2 2\n"), "the cell field \"b\" is given twice"},
		"value twice":      {cells22 + field("NodeData", "4\n9 1\n1 2\n9 3\n3 3\n"), "line 27: field \"b\" has two values at tag 9"},
		"value nowhere":    {cells22 + field("NodeData", "1\n2 1\n"), "line 25: field \"b\" has a value at node 2, which is not in $Nodes"},
		"field before":     {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + field("NodeData", "0\n"), "line 4: data before the $Nodes"},
		"field and height": {strings.Replace(cells22, "3 1 1 0", "3 1 1 5", 1) + strings.Replace(field("NodeData", "4\n9 1\n1 2\n7 3\n3 3\n"), `"b"`, `"z"`, 1), "third coordinate"},
	} {
		if _, err := parseGmsh([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
}

// TestGmshCutBinary cuts a binary file at every byte; each must be refused with its place, but for blanks at the end.
func TestGmshCutBinary(t *testing.T) {
	for _, name := range []string{"island-22-binary.msh", "island-41-binary.msh"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for n := range bytes.TrimSpace(data) {
			_, err := parseGmsh(data[:n])
			if err == nil {
				t.Fatalf("%s cut to %d bytes is accepted", name, n)
			}
			if s := err.Error(); !strings.HasPrefix(s, "byte offset ") && !strings.HasPrefix(s, "line ") {
				t.Fatalf("%s cut to %d bytes: no place in %q", name, n, s)
			}
		}
	}
}

// TestGmshBigEndian reads a binary file in the other byte order.
func TestGmshBigEndian(t *testing.T) {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				b.WriteString(s)
			} else if err := binary.Write(&b, binary.BigEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("$MeshFormat\n2.2 1 8\n", int32(1), "\n$EndMeshFormat\n$Nodes\n3\n")
	put(int32(4), 0.0, 0.0, 0.0, int32(5), 2.0, 0.0, 0.0, int32(6), 0.0, 3.0, 0.0, "\n$EndNodes\n$Elements\n1\n")
	put(int32(2), int32(1), int32(2), int32(1), int32(9), int32(1), int32(4), int32(5), int32(6), "\n$EndElements\n")
	m, err := parseGmsh(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if m.Area(0) != 3 || !reflect.DeepEqual(m.Groups, []Group{{2, 9, "9"}}) {
		t.Errorf("got %+v", m)
	}
}

func TestWriteGmshRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(m *Mesh)
		want  string
	}{
		"id":         {func(m *Mesh) { m.Cells[0][0] = 9 }, "vertex id out of range"},
		"tag":        {func(m *Mesh) { m.Groups[0].Tag = 0 }, `group "wall" of dimension 1 has the tag 0`},
		"tag twice":  {func(m *Mesh) { m.Groups[0].Tag = 8 }, "two groups of dimension 1 have the tag 8"},
		"name":       {func(m *Mesh) { m.Groups[0].Name = "a\"b" }, "has a quote or line break"},
		"field name": {func(m *Mesh) { m.CellData = map[string][]float64{"": {1, 2}} }, `the name "" is empty`},
	} {
		m := square()
		c.spoil(m)
		path := filepath.Join(t.TempDir(), "m.msh")
		if err := WriteGmsh(path, m, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file is left", name)
		}
	}
	if err := WriteGmsh(filepath.Join(t.TempDir(), "none", "m.msh"), square(), true); err == nil {
		t.Error("a folder that does not exist is accepted")
	}
}

func FuzzReadGmsh(f *testing.F) {
	for _, name := range islandFiles {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(cells22 + field("NodeData", "4\n9 1.5\n1 2\n7 -3e2\n3 4\n")))
	f.Add([]byte(cells41 + field("ElementData", "3\n2 1.5\n1 2\n3 7\n")))
	for _, bin := range []bool{false, true} {
		var b bytes.Buffer
		if err := writeGmsh(&b, laden(4, 1), bin); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseGmsh(data)
		fuzzed(t, data, m, err)
	})
}

// fuzzed holds for what a reader makes of any input: a mesh no larger than the input can describe, which Check and the
// repairs can take, or an error with a place.
func fuzzed(t *testing.T, data []byte, m *Mesh, err error) {
	if err != nil {
		if s := err.Error(); m != nil || !strings.HasPrefix(s, "byte offset ") && !strings.HasPrefix(s, "line ") {
			t.Fatalf("mesh %v, error %q", m, err)
		}
		return
	}
	if len(m.X) > len(data) || cap(m.X) > len(data) || len(m.Cells) > len(data) || cap(m.Cells) > 2*len(data)+8 {
		t.Fatalf("%d (%d) vertices and %d (%d) cells from %d bytes", len(m.X), cap(m.X), len(m.Cells), cap(m.Cells), len(data))
	}
	if m.Check() == nil {
		return
	}
	_, _ = m.Orient()
	_, _, _ = m.MergeDuplicates()
	_, _, _ = m.DropDangling()
	_ = m.Check()
}
