package medit

import (
	"bytes"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
	"github.com/atoll-hpc/atoll/mesh/internal/meshtest"
)

func solidBytes(t testing.TB, s *mesh.Solid, inBinary bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writerOf(meshfile.OfSolid(s), inBinary).write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// taggedCube is a cube with groups of cells.
func taggedCube(t testing.TB) *mesh.Solid {
	s := meshtest.Cube(t, 2, .1)
	s.CellTag = make([]int32, len(s.Cells))
	s.CellTag[3], s.CellTag[5] = 7, -2
	return s
}

// A mesh of tetrahedra has the same bits after writing and reading.
func TestSolidMedit(t *testing.T) {
	for _, s := range []*mesh.Solid{meshtest.Cube(t, 3, .15), taggedCube(t)} {
		for _, name := range []string{"cube.mesh", "cube.meshb"} {
			path := filepath.Join(t.TempDir(), name)
			if err := WriteSolid(path, s); err != nil {
				t.Fatal(err)
			}
			got, err := ReadSolid(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, s) {
				t.Errorf("%s: the mesh read differs from the one written", name)
			}
			if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "tetrahedra") {
				t.Errorf("%s: Read gives the error %v, want one about tetrahedra", name, err)
			}
		}
	}
}

const tetMedit = `MeshVersionFormatted 2
Dimension 3
Vertices 4
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
Edges 1
1 2 5
Triangles 2
1 3 2 4
2 3 4 0
Tetrahedra 1
1 2 3 4 0
End
`

func TestReadsSolidMedit(t *testing.T) {
	got, err := parseSolid([]byte(tetMedit))
	if err != nil {
		t.Fatal(err)
	}
	want := &mesh.Solid{X: []float64{0, 1, 0, 0}, Y: []float64{0, 0, 1, 0}, Z: []float64{0, 0, 0, 1},
		Cells: [][4]int32{{0, 1, 2, 3}}, Faces: []mesh.TaggedFace{{V: [3]int32{0, 2, 1}, Tag: 4}},
		Marks: &mesh.Marks{Lines: []mesh.MarkedEdge{{A: 0, B: 1, Tag: 5}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, c := range []struct{ old, new, want string }{
		{"1 2 3 4 0", "1 2 3 5 0", "line 14: tetrahedron 1 refers to vertex 5"},
		{"1 2 3 4 0", "1 2 3 x 0", "line 14"},
		{"Tetrahedra 1", "Tetrahedra 9000000000", "line 13"},
		{"Tetrahedra 1\n1 2 3 4 0\n", "", "no tetrahedra"},
		{"Tetrahedra 1", "Hexahedra 1", "must be of tetrahedra"},
		{"1 3 2 4\n", "1 3 2 4000000000\n", "32 bits"},
	} {
		if _, err := parseSolid([]byte(strings.Replace(tetMedit, c.old, c.new, 1))); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	flat := "MeshVersionFormatted 2\nDimension 2\nVertices 4\n0 0 0\n1 0 0\n0 1 0\n1 1 0\nTetrahedra 1\n1 2 3 4 0\n"
	if _, err := parseSolid([]byte(flat)); err == nil || !strings.Contains(err.Error(), "dimension 2") {
		t.Errorf("tetrahedra in the plane: error %v, want one with \"dimension 2\"", err)
	}
}

func FuzzReadSolidMedit(f *testing.F) {
	f.Add([]byte(tetMedit))
	for _, inBinary := range []bool{false, true} {
		f.Add(solidBytes(f, taggedCube(f), inBinary))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSolid(data)
		if err != nil {
			if m := err.Error(); s != nil || !strings.HasPrefix(m, "byte offset ") && !strings.HasPrefix(m, "line ") {
				t.Fatalf("mesh %v, error %q", s, m)
			}
			return
		}
		if cap(s.X) > len(data) || cap(s.Cells) > len(data) || len(s.Faces) > len(data) {
			t.Fatalf("%d vertices, %d cells and %d faces from %d bytes", cap(s.X), cap(s.Cells), len(s.Faces), len(data))
		}
		if s.Check() == nil {
			if _, err := s.Freedoms(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The irregular tetrahedra that Gmsh makes of testdata/box.geo fill the unit cube, and their vertices have the freedoms
// of its sides and edges.
func TestReadsGmshSolid(t *testing.T) {
	s, err := ReadSolid(filepath.Join("testdata", "box.mesh"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	volume := 0.0
	for c := range s.Cells {
		volume += s.Volume(c)
	}
	if math.Abs(volume-1) > 1e-12 {
		t.Errorf("volume %g, want 1", volume)
	}
	f, err := s.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	for v := range f {
		axes := 3
		for _, x := range s.At(int32(v)) {
			if x == 0 || x == 1 {
				axes--
			}
		}
		if f[v].Axes != axes {
			t.Errorf("vertex %d at %v has %d axes, want %d", v, s.At(int32(v)), f[v].Axes, axes)
		}
	}
}
