package medit

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// markedText has two triangles and all sections of marks, some before and some after those of the entities to which
// they refer; some of these have references.
const markedText = `MeshVersionFormatted 2
Dimension 2
RequiredEdges 2
2 3
Vertices 4
0 0 0
1 0 12
1 1 0
0 1 0
Edges 3
1 2 3
2 3 0
1 3 0
Ridges 2
1 3
Corners 2
1 2
RequiredVertices 1
4
Triangles 2
1 2 3 7
1 3 4 0
RequiredTriangles 1
2
End
`

const markedSolidText = `MeshVersionFormatted 2
Dimension 3
Vertices 5
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
1 1 1 -4
Edges 2
1 2 0
3 4 9
Triangles 3
1 3 2 5
1 2 4 0
1 4 3 5
Tetrahedra 2
1 2 3 4 1
2 5 3 4 1
Corners 1
5
Ridges 1
2
RequiredVertices 1
2
RequiredEdges 1
1
RequiredTriangles 2
1 2
End
`

// Marks are read, hold vertices, and are the same after writing and reading in text and binary.
func TestMarksComeBack(t *testing.T) {
	m, err := parse([]byte(markedText))
	if err != nil {
		t.Fatal(err)
	}
	want := &mesh.Marks{Corners: []int32{0, 1}, Vertices: []int32{3}, Ridges: []mesh.MarkedEdge{{A: 0, B: 1, Tag: 3},
		{A: 0, B: 2, Tag: 0}},
		Edges:     []mesh.MarkedEdge{{A: 1, B: 2, Tag: 0}, {A: 0, B: 2, Tag: 0}},
		Triangles: []mesh.TaggedFace{{V: [3]int32{0, 2, 3}}},
		Refs:      []int32{0, 12, 0, 0}}
	if !reflect.DeepEqual(m.Marks, want) {
		t.Errorf("marks %+v, want %+v", m.Marks, want)
	}
	s, err := parseSolid([]byte(markedSolidText))
	if err != nil {
		t.Fatal(err)
	}
	inSpace := &mesh.Marks{Corners: []int32{4}, Vertices: []int32{1}, Ridges: []mesh.MarkedEdge{{A: 2, B: 3, Tag: 9}},
		Lines: []mesh.MarkedEdge{{A: 2, B: 3, Tag: 9}},
		Edges: []mesh.MarkedEdge{{A: 0, B: 1, Tag: 0}}, Triangles: []mesh.TaggedFace{{V: [3]int32{0, 2, 1}, Tag: 5},
			{V: [3]int32{0, 1, 3}, Tag: 0}},
		Refs: []int32{0, 0, 0, 0, -4}}
	if !reflect.DeepEqual(s.Marks, inSpace) {
		t.Errorf("marks %+v, want %+v", s.Marks, inSpace)
	}
	if held := s.Marks.Held(5); !slices.Equal(held, []bool{true, true, true, true, true}) {
		t.Errorf("held vertices %v, want all", held)
	}
	if on := s.Marks.OnRidge(5); !slices.Equal(on, []bool{false, false, true, true, false}) {
		t.Errorf("vertices on ridges %v, want 2 and 3", on)
	}
	free, err := s.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	for v, f := range free {
		if f.Axes != 0 {
			t.Errorf("vertex %d has %d axes, want 0", v, f.Axes)
		}
	}
	for _, name := range []string{"a.mesh", "a.meshb"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Write(path, m); err != nil {
			t.Fatal(err)
		}
		back, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, m) {
			t.Errorf("%s: marks %+v, want %+v", name, back.Marks, m.Marks)
		}
		if err := WriteSolid(path, s); err != nil {
			t.Fatal(err)
		}
		solidBack, err := ReadSolid(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(solidBack, s) {
			t.Errorf("%s: got %+v, want %+v", name, solidBack, s)
		}
	}
}

// Marks that refer to numbers out of range are refused.
func TestMarksRefusals(t *testing.T) {
	for _, c := range [][3]string{
		{"RequiredVertices 1\n4", "RequiredVertices 1\n5", "RequiredVertices refers to number 5 of Vertices; the file has 4"},
		{"Corners 2\n1 2", "Corners 2\n1 0", "Corners refers to number 0 of Vertices"},
		{"Ridges 2\n1 3", "Ridges 2\n1 4", "Ridges refers to number 4 of Edges; the file has 3"},
		{"RequiredTriangles 1\n2", "RequiredTriangles 1\n-3", "RequiredTriangles refers to number -3 of Triangles"},
		{"RequiredTriangles 1\n2", "RequiredTriangles 900\n2", "900 entries"},
	} {
		if _, err := parse([]byte(strings.Replace(markedText, c[0], c[1], 1))); err == nil || !strings.Contains(err.Error(),
			c[2]) {
			t.Errorf("%q: error %v, want %q", c[1], err, c[2])
		}
	}
}

// Marks are renumbered when duplicate and dangling vertices are removed.
func TestMarksAreRenumbered(t *testing.T) {
	m, err := parse([]byte(strings.NewReplacer("Vertices 4\n0 0 0\n", "Vertices 5\n0 0 0\n0 0 0\n",
		"1 2 3 7\n1 3 4 0",
		"1 3 4 7\n2 4 5 0", "Edges 3\n1 2 3\n2 3 0\n1 3 0", "Edges 3\n1 3 3\n3 4 0\n2 4 0", "RequiredVertices 1\n4",
		"RequiredVertices 1\n5").Replace(markedText)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.MergeDuplicates(); err != nil {
		t.Fatal(err)
	}
	if len(m.X) != 4 || !slices.Equal(m.Marks.Vertices, []int32{3}) || m.Marks.Edges[1] != (mesh.MarkedEdge{A: 0,
		B: 2, Tag: 0}) ||
		!slices.Equal(m.Marks.Refs, []int32{0, 12, 0, 0}) {
		t.Errorf("unexpected marks %+v of %d vertices", m.Marks, len(m.X))
	}
	s, err := parseSolid([]byte(strings.NewReplacer("Vertices 5\n", "Vertices 7\n0 0 0 0\n9 9 9 3\n",
		"1 2 0\n3 4 9", "3 4 0\n5 6 9", "1 3 2 5\n1 2 4 0\n1 4 3 5", "3 5 4 5\n3 4 6 0\n3 6 5 5", "1 2 3 4 1\n2 5 3 4 1",
		"1 4 5 6 1\n4 7 5 6 1", "Corners 1\n5", "Corners 2\n7 2").Replace(markedSolidText)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.MergeDuplicates(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.DropDangling(); err != nil {
		t.Fatal(err)
	}
	if len(s.X) != 5 || !slices.Equal(s.Marks.Corners, []int32{4}) || s.Marks.Lines[0] != (mesh.MarkedEdge{A: 2, B: 3,
		Tag: 9}) ||
		!slices.Equal(s.Marks.Refs, []int32{0, 0, 0, 0, -4}) {
		t.Errorf("unexpected marks %+v of %d vertices", s.Marks, len(s.X))
	}
}

// Marks.Skipped lists the sections that are skipped.
func TestListsSkippedSections(t *testing.T) {
	m, err := parse([]byte(strings.Replace(markedText, "End\n", "Normals 1\n0 1\nNormalAtVertices 1\n1 1\nEnd\n", 1)))
	if err != nil || !slices.Equal(m.Marks.Skipped, []string{"Normals", "NormalAtVertices"}) {
		t.Errorf("error %v, marks %+v; want the sections Normals and NormalAtVertices", err, m.Marks)
	}
}
