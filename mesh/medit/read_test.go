package medit

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshtest"
)

const squareText = `MeshVersionFormatted 2
# a comment: Triangles
Dimension 2
Vertices 4
0 0 0
1 0 0 # and another
1 1 5
0 1 0
Edges
2
1 2 3
2 3 0
Triangles 2
1 2 3 -7
1 3 4 0
Corners 2
1 2
RequiredVertices
1
3
Normals 1
0.5 0.5
Quadrilaterals 0
End
text after the end
`

func TestReadsMedit(t *testing.T) {
	m, err := parse([]byte(squareText))
	if err != nil {
		t.Fatal(err)
	}
	want := &mesh.Mesh{
		X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 1, 1},
		Cells:  [][3]int32{{0, 1, 2}, {0, 2, 3}},
		Groups: []mesh.Group{{Dim: 1, Tag: 3, Name: "3"}, {Dim: 2, Tag: -7, Name: "-7"}}, CellGroup: []int32{1, -1},
		Tagged: []mesh.TaggedEdge{{A: 0, B: 1, Group: 0}},
		Marks: &mesh.Marks{Corners: []int32{0, 1}, Vertices: []int32{2}, Refs: []int32{0, 0, 5, 0},
			Skipped: []string{"Normals"}},
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
}

// A Medit file that Gmsh wrote has the same mesh as its own format. Gmsh writes the numbers of entities as references.
func TestReadsMeditOfGmsh(t *testing.T) {
	m, err := Read(filepath.Join("testdata", "island.mesh"))
	if err != nil {
		t.Fatal(err)
	}
	msh, err := gmsh.Read(filepath.Join("..", "gmsh", "testdata", "island-22-binary.msh"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m.Cells, msh.Cells) || !meshtest.CloseTo(m.X, msh.X) || !meshtest.CloseTo(m.Y, msh.Y) {
		t.Error("the mesh differs from that of island-22-binary.msh")
	}
	if len(m.Tagged) != len(msh.Tagged) || len(m.Groups) != 10+2 {
		t.Errorf("%d edges, %d in the other file; groups %v", len(m.Tagged), len(msh.Tagged), m.Groups)
	}
}

// Third coordinates are read as the field "z" unless all are 0.
func TestThirdCoordinates(t *testing.T) {
	text := "MeshVersionFormatted 1 Dimension 3 Vertices 3 0 0 0 0 1 0 0.5 0 0 1 0 0 Triangles 1 1 2 3 0"
	m, err := parse([]byte(text))
	if err != nil || !reflect.DeepEqual(m.VertexData, map[string][]float64{"z": {0, 0.5, 0}}) {
		t.Errorf("error %v, mesh %+v", err, m)
	}
	m, err = parse([]byte(strings.Replace(text, "0.5", "0", 1)))
	if err != nil || m.VertexData != nil {
		t.Errorf("error %v, mesh %+v", err, m)
	}
}

func TestReadRefusals(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"another format":  {"MeshVersionFormatted", "solid", `line 1: "solid" is not MeshVersionFormatted`},
		"dimension":       {"Dimension 2", "Dimension 4", "line 3: dimension 4"},
		"dimension twice": {"Edges", "Dimension 2\nEdges", "line 9: dimension 2; give 2 or 3, once"},
		"no dimension":    {"Dimension 2", "", `line 4: "Vertices" before Dimension`},
		"no section":      {"Corners", "3.5", `line 16: "3.5" is not the name of a section`},
		"open quote":      {"Corners 2", "Identifier \"G", "line 16: a string without its second quote"},
		"quadrilaterals": {"Quadrilaterals 0", "Quadrilaterals 1\n1 2 3 4 0",
			"line 23: 1 quadrilaterals; a mesh must be of triangles"},
		"tetrahedra":        {"Quadrilaterals 0", "Tetrahedra 1\n1 2 3 4 0", "line 23: 1 tetrahedra"},
		"vertex":            {"1 3 4 0", "1 3 5 0", "line 15: triangle 2 refers to vertex 5; the file has vertices 1 to 4"},
		"vertex zero":       {"1 3 4 0", "0 3 4 0", "line 15: triangle 2 refers to vertex 0"},
		"vertex of an edge": {"2 3 0", "2 9 0", "line 12: edge 2 refers to vertex 9"},
		"order":             {"Vertices 4\n0 0 0", "Edges 1\n1 2 0\nVertices 4\n0 0 0", "line 4: Edges before Vertices"},
		"not a number":      {"1 1 5", "1 x 5", `line 7: "x" is not a number`},
		"not whole":         {"1 1 5", "1 1 5.5", `line 7: "5.5" is not an integer`},
		"count":             {"Vertices 4", "Vertices 5", `line 9: "Edges" is not a number`},
		"huge count":        {"Vertices 4", "Vertices 500000000", "line 4: 500000000 vertices are announced, but only"},
		"no triangles":      {"Triangles 2\n1 2 3 -7\n1 3 4 0\n", "", "line 23: the file has no vertices or no triangles"},
	} {
		if strings.Count(squareText, c.old) == 0 {
			t.Fatalf("%s: squareText does not have %q", name, c.old)
		}
		if _, err := parse([]byte(strings.Replace(squareText, c.old, c.new, 1))); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
}

// Unknown sections are skipped, as by libMeshb, and named; repeated ones are joined.
func TestUnknownAndRepeatedSections(t *testing.T) {
	want, err := parse([]byte(squareText))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		old, new string
		skipped  []string
	}{
		"of bamg": {"Dimension 2", "Dimension 2\nIdentifier\n\"G=a.mesh;1, Edges 3 s\"\nGeometry \"a b\"",
			[]string{"Identifier"}},
		"before all":   {"Dimension 2", "Ident 3\nDimension 2", []string{"Ident"}},
		"with numbers": {"Edges", "MyOwnSection\n2\n1 2.5 -3e4\nnan inf x\nEdges", []string{"MyOwnSection"}},
		"at the end":   {"Quadrilaterals 0", "Hexes 3 4\nQuadrilaterals 0", []string{"Hexes"}},
		"of libMeshb": {"Corners 2", "VerticesOnGeometricVertices 1\n1 1\nCorners 2",
			[]string{"VerticesOnGeometricVertices"}},
		"triangles twice":   {"Triangles 2\n1 2 3 -7\n", "Triangles 1\n1 2 3 -7\nTriangles 1\n", nil},
		"vertices twice":    {"Vertices 4\n0 0 0\n", "Vertices 1\n0 0 0\nVertices 3\n", nil},
		"edges three times": {"Edges\n2\n1 2 3\n", "Edges\n1\n1 2 3\nEdges 0\nEdges 1\n", nil},
		"corners twice":     {"Corners 2\n1 2", "Corners 1\n1\nCorners 1 2", nil},
		"refused ones":      {"Quadrilaterals 0", "Quadrilaterals 0\nQuadrilaterals 0", nil},
	} {
		text := strings.Replace(squareText, c.old, c.new, 1)
		got, err := parse([]byte(text))
		if err != nil || text == squareText {
			t.Errorf("%s: %v", name, err)
			continue
		}
		skipped := got.Marks.Skipped
		got.Marks.Skipped = []string{"Normals"}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, marks %+v", name, got, got.Marks)
		}
		all := append([]string{}, c.skipped...)
		for _, s := range append(all, "Normals") {
			if !slices.Contains(skipped, s) {
				t.Errorf("%s: skipped %q", name, skipped)
			}
		}
	}
}
