package gmsh

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshtest"
)

var islandFiles = []string{"island-22.msh", "island-22-binary.msh", "island-41.msh", "island-41-binary.msh"}

// Read gives the same mesh for files that Gmsh made of one geometry (testdata/island.geo) in each version and encoding.
func TestReadsAllVersions(t *testing.T) {
	var first *mesh.Mesh
	for _, name := range islandFiles {
		m, err := Read(filepath.Join("testdata", name))
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
			!reflect.DeepEqual(m.Tagged, first.Tagged) || !meshtest.CloseTo(m.X, first.X) ||
			!meshtest.CloseTo(m.Y, first.Y) {
			t.Errorf("%s differs from %s", name, islandFiles[0])
		}
	}
}

func checkIsland(t *testing.T, name string, m *mesh.Mesh) {
	t.Helper()
	want := []mesh.Group{{Dim: 1, Tag: 3, Name: "open sea"}, {Dim: 1, Tag: 5, Name: "shore"}, {Dim: 2, Tag: 20,
		Name: "west"}, {Dim: 2, Tag: 21, Name: "21"}, {Dim: 0, Tag: 9, Name: "gauge"}}
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
				t.Fatalf("%s: edge %d of cell %d: neighbour %d, group %d", name, k, c, o, groups[c][k])
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
	// The island is a regular polygon, with as many corners as edges, in a circle of radius one half.
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

const nodes22 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n7 1 0 0\n3 1 1 0\n9 0 1 0\n$EndNodes\n"
const cells22 = nodes22 + "$Elements\n2\n1 2 2 20 1 1 7 3\n2 2 2 20 1 1 3 9\n$EndElements\n"
const nodes41 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 1 1 0\n4 0 0 0 1 1 0 2 -5 6 0\n8 0 0 0 1 1 " +
	"0 1 20 0\n$EndEntities\n" +
	"$Nodes\n1 4 1 4\n2 8 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
const cells41 = nodes41 + "$Elements\n2 3 1 3\n2 8 2 2\n1 1 2 3\n2 1 3 4\n1 4 1 1\n3 1 2\n$EndElements\n"

// field returns a data section of one component.
func field(section, values string) string {
	return "$" + section + "\n1\n\"b\"\n1\n0.0\n3\n0\n1\n" + values + "$End" + section + "\n"
}

func TestDetails(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want func(m *mesh.Mesh) bool
	}{
		"sparse node numbers": {cells22, func(m *mesh.Mesh) bool {
			return reflect.DeepEqual(m.Cells,
				[][3]int32{{0, 1, 2}, {0, 2, 3}})
		}},
		"large node number": {strings.NewReplacer("\n9 0", "\n900000000000 0", "3 9\n", "3 900000000000\n").Replace(cells22),
			func(m *mesh.Mesh) bool { return reflect.DeepEqual(m.Cells, [][3]int32{{0, 1, 2}, {0, 2, 3}}) }},
		"unnamed group": {cells22, func(m *mesh.Mesh) bool {
			return reflect.DeepEqual(m.Groups, []mesh.Group{{Dim: 2, Tag: 20, Name: "20"}})
		}},
		"empty name": {strings.Replace(cells22, "$Nodes", "$PhysicalNames\n1\n2 20 \"\"\n$EndPhysicalNames\n$Nodes", 1),
			func(m *mesh.Mesh) bool {
				return reflect.DeepEqual(m.Groups, []mesh.Group{{Dim: 2, Tag: 20, Name: "20"}})
			}},
		"no group": {strings.ReplaceAll(cells22, " 20 ", " 0 "),
			func(m *mesh.Mesh) bool { return m.CellGroup == nil && m.Groups == nil }},
		"edge in two groups, one reversed": {cells41,
			func(m *mesh.Mesh) bool {
				return reflect.DeepEqual(m.Tagged, []mesh.TaggedEdge{{A: 0, B: 1, Group: 0}, {A: 0, B: 1, Group: 1}}) &&
					reflect.DeepEqual(m.Groups, []mesh.Group{{Dim: 1, Tag: 5, Name: "5"}, {Dim: 1, Tag: 6, Name: "6"}, {Dim: 2,
						Tag: 20, Name: "20"}})
			}},
		"nodes counted twice": {strings.Replace(cells41, "1 4 1 4", "1 8 1 4", 1),
			func(m *mesh.Mesh) bool { return len(m.X) == 4 }},
		"reversed group": {strings.ReplaceAll(cells22, " 20 ", " -20 "),
			func(m *mesh.Mesh) bool {
				return reflect.DeepEqual(m.Groups, []mesh.Group{{Dim: 2, Tag: 20, Name: "20"}})
			}},
		"parametric nodes": {strings.NewReplacer("2 8 0 4", "2 8 1 4", "0 0 0\n1 0 0\n1 1 0\n0 1 0\n",
			"0 0 0 7 7\n1 0 0 7 7\n1 1 0 7 7\n0 1 0 7 7\n").Replace(cells41),
			func(m *mesh.Mesh) bool { return reflect.DeepEqual(m.Y, []float64{0, 0, 1, 1}) }},
		"third coordinate": {strings.Replace(cells22, "3 1 1 0", "3 1 1 0.5", 1),
			func(m *mesh.Mesh) bool { return reflect.DeepEqual(m.VertexData["z"], []float64{0, 0, 0.5, 0}) }},
		"other sections": {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nsay $Nodes\n$EndComments\n" +
			cells22[len("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"):] + "$Periodic\n0\n$EndPeriodic\n",
			func(m *mesh.Mesh) bool { return len(m.Cells) == 2 }},
		"DOS line ends": {strings.ReplaceAll(cells22, "\n", "\r\n"), func(m *mesh.Mesh) bool { return len(m.Cells) == 2 }},
		"vertex field": {cells22 + field("NodeData", "4\n9 1.5\n1 2\n7 -3e2\n3 4\n"),
			func(m *mesh.Mesh) bool { return reflect.DeepEqual(m.VertexData["b"], []float64{2, -300, 4, 1.5}) }},
		"cell field, with a value of an edge": {cells41 + field("ElementData", "3\n2 1.5\n1 2\n3 7\n"),
			func(m *mesh.Mesh) bool { return reflect.DeepEqual(m.CellData["b"], []float64{2, 1.5}) }},
		"field of edges only": {cells41 + field("ElementData", "1\n3 7\n"),
			func(m *mesh.Mesh) bool { return m.CellData == nil }},
		"vectors are skipped": {cells22 + strings.Replace(field("NodeData", "1\n9 1 2 3\n"), "0\n1\n", "0\n3\n", 1),
			func(m *mesh.Mesh) bool { return m.VertexData == nil }},
	} {
		m, err := parse([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !c.want(m) {
			t.Errorf("%s: got %+v", name, m)
		}
	}
}

// Read reads a binary file in big-endian byte order.
func TestBigEndian(t *testing.T) {
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
	m, err := parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if m.Area(0) != 3 || !reflect.DeepEqual(m.Groups, []mesh.Group{{Dim: 2, Tag: 9, Name: "9"}}) {
		t.Errorf("got %+v", m)
	}
}
