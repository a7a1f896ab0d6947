package gmsh

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh/internal/write"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
	"github.com/atoll-hpc/atoll/mesh/internal/meshtest"
)

// groupedCube is a cube with groups of cells and of faces, names and fields.
func groupedCube(t testing.TB, n int) *mesh.Solid {
	s := meshtest.Cube(t, n, .1)
	s.CellTag = make([]int32, len(s.Cells))
	quality := make([]float64, len(s.Cells))
	for c := range s.Cells {
		s.CellTag[c], quality[c] = int32(c%3/2*7), 1/float64(c+1)
	}
	s.Groups = []mesh.Group{{Dim: 2, Tag: 3, Name: "inlet"}, {Dim: 3, Tag: 7, Name: "rock"}, {Dim: 2, Tag: 4,
		Name: "outlet"}}
	s.CellData, s.VertexData = map[string][]float64{"quality": quality}, map[string][]float64{"depth": s.Z}
	return s
}

func bytesOf(t testing.TB, s *mesh.Solid, inBinary bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write.To(&b, meshfile.OfSolid(s), inBinary); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A mesh of tetrahedra has the same bits after writing and reading.
func TestSolidGmsh(t *testing.T) {
	several := meshtest.Cube(t, 2, 0)
	several.Faces = append(several.Faces, mesh.TaggedFace{V: several.Faces[0].V, Tag: 99})
	lined := groupedCube(t, 2)
	lined.Groups = append(lined.Groups, mesh.Group{Dim: 1, Tag: 3, Name: "rim"})
	lined.Marks = &mesh.Marks{Lines: []mesh.MarkedEdge{{A: 0, B: 1, Tag: 3}, {A: 4, B: 3, Tag: 3}, {A: 1, B: 2, Tag: 5}}}
	for k, s := range []*mesh.Solid{meshtest.Cube(t, 3, .15), groupedCube(t, 3), several, lined} {
		for _, inBinary := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "cube.msh")
			if err := WriteSolid(path, s, inBinary); err != nil {
				t.Fatal(err)
			}
			got, err := ReadSolid(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, s) {
				t.Errorf("mesh %d, binary %v: the mesh read differs from the one written", k, inBinary)
			}
			if _, err := Read(path); !mesh.IsTetrahedra(err) || !strings.Contains(err.Error(), "tetrahedron") {
				t.Errorf("Read: error %v, want one about a tetrahedron", err)
			}
		}
	}
	for name, corrupt := range map[string]func(s *mesh.Solid){
		"face 2 has the tag -3": func(s *mesh.Solid) { s.Faces[2].Tag = -3 },
		"cell 2 has the tag -1": func(s *mesh.Solid) { s.CellTag[2] = -1 },
		"quote or line break":   func(s *mesh.Solid) { s.Groups[0].Name = "a\"b" },
		"out of range":          func(s *mesh.Solid) { s.Cells[0][0] = 99 },
		"edge 1 has the tag 0": func(s *mesh.Solid) {
			s.Marks = &mesh.Marks{Lines: []mesh.MarkedEdge{{A: 0, B: 1, Tag: 2}, {A: 1, B: 2, Tag: 0}}}
		},
		"has 1 values": func(s *mesh.Solid) { s.CellData["quality"] = []float64{1} },
	} {
		s := groupedCube(t, 2)
		corrupt(s)
		if err := WriteSolid(filepath.Join(t.TempDir(), "a.msh"), s, true); err == nil || !strings.Contains(err.Error(),
			name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// tetGmsh has a volume in group 5, a surface in groups 2 and 3, a surface in no group, a curve and a point.
const tetGmsh = `$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
2 3 "lid"
3 5 "all"
$EndPhysicalNames
$Entities
1 1 2 1
1 0 0 0 1 9
1 0 0 0 1 0 0 1 8 0
1 0 0 0 1 1 0 2 2 3 0
2 0 0 0 1 1 0 0 0
1 0 0 0 1 1 1 1 5 0
$EndEntities
$Nodes
1 4 1 4
3 1 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
0 0 1
$EndNodes
$Elements
5 5 1 5
0 1 15 1
1 1
1 1 1 1
2 1 2
2 1 2 1
3 1 3 2
2 2 2 1
4 1 2 4
3 1 4 1
5 1 2 3 4
$EndElements
`

func TestReadsSolidGmsh(t *testing.T) {
	got, err := parseSolid([]byte(tetGmsh))
	if err != nil {
		t.Fatal(err)
	}
	lid := [3]int32{0, 2, 1}
	want := &mesh.Solid{X: []float64{0, 1, 0, 0}, Y: []float64{0, 0, 1, 0}, Z: []float64{0, 0, 0, 1},
		Cells: [][4]int32{{0, 1, 2, 3}}, CellTag: []int32{5}, Faces: []mesh.TaggedFace{{V: lid, Tag: 2}, {V: lid, Tag: 3}},
		Groups: []mesh.Group{{Dim: 2, Tag: 3, Name: "lid"}, {Dim: 3, Tag: 5, Name: "all"}},
		Marks:  &mesh.Marks{Lines: []mesh.MarkedEdge{{A: 0, B: 1, Tag: 8}}, Points: []mesh.MarkedPoint{{V: 0, Tag: 9}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, c := range []struct{ old, new, want string }{
		{"5 1 2 3 4", "5 1 2 3 7", "line 40: element 5 refers to node 7"},
		{"3 1 4 1\n5 1 2 3 4", "3 1 5 1\n5 1 2 3 4", "element 5 is a hexahedron"},
		{"5 5 1 5", "4 4 1 4", "$EndElements"},
		{"1 0 0 0 1 1 1 1 5 0", "1 0 0 0 1 1 1 1 5000000000 0", "32 bits"},
	} {
		if _, err := parseSolid([]byte(strings.Replace(tetGmsh, c.old, c.new, 1))); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	flat := strings.Replace(strings.Replace(tetGmsh, "5 5 1 5", "4 4 1 4", 1), "3 1 4 1\n5 1 2 3 4\n", "", 1)
	if _, err := parseSolid([]byte(flat)); err == nil || !strings.Contains(err.Error(), "gmsh -3") {
		t.Errorf("without tetrahedra: error %v, want one with \"gmsh -3\"", err)
	}
}

func FuzzReadSolidGmsh(f *testing.F) {
	f.Add([]byte(tetGmsh))
	f.Add([]byte("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n" +
		"$Elements\n2\n1 4 2 5 1 1 2 3 4\n2 2 2 -3 1 1 2 3\n$EndElements\n"))
	for _, inBinary := range []bool{false, true} {
		f.Add(bytesOf(f, groupedCube(f, 1), inBinary))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSolid(data)
		if err != nil {
			if m := err.Error(); s != nil || !strings.HasPrefix(m, "byte offset ") && !strings.HasPrefix(m, "line ") {
				t.Fatalf("mesh %v, error %q", s, m)
			}
			return
		}
		if len(s.X) > len(data) || cap(s.Cells) > 2*len(data)+8 || len(s.Faces) > 100*len(data) {
			t.Fatalf("%d vertices, %d cells and %d faces from %d bytes", len(s.X), cap(s.Cells), len(s.Faces), len(data))
		}
		if s.Check() == nil {
			if _, err := s.Freedoms(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Gmsh reads a mesh of WriteSolid, and saves the same mesh, with groups and their names, in each version and encoding.
func TestSolidThroughGmsh(t *testing.T) {
	gmsh := needs.Program(t, "gmsh", "gmsh")
	dir := t.TempDir()
	geo := filepath.Join(dir, "block.geo")
	script := `SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {1, 0, 0, .5, 1, 1};
Coherence;
Physical Volume("left", 7) = {1};
Physical Volume("right", 8) = {2};
Physical Surface("low", 3) = Surface In BoundingBox {-.1, -.1, -.1, 1.1, 1.1, .1};
Physical Surface("wall between", 4) = Surface In BoundingBox {.9, -.1, -.1, 1.1, 1.1, 1.1};
Mesh.MeshSizeFactor = 2;
`
	if err := os.WriteFile(geo, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) {
		t.Helper()
		out, err := exec.Command(gmsh, args...).CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("Error")) || bytes.Contains(out, []byte("Warning")) {
			t.Fatalf("gmsh %v: %v\n%s", args, err, out)
		}
	}
	one := filepath.Join(dir, "one.msh")
	call("-3", geo, "-format", "msh41", "-o", one)
	want, err := ReadSolid(one)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.Check(); err != nil {
		t.Fatal(err)
	}
	volume := 0.0
	for c := range want.Cells {
		volume += want.Volume(c)
	}
	if math.Abs(volume-1.5) > 1e-12 || len(want.Groups) != 4 || len(want.Faces) == 0 || want.CellTag == nil {
		t.Fatalf("a volume of %g, groups %v, %d faces", volume, want.Groups, len(want.Faces))
	}
	same := func(what string, got *mesh.Solid) {
		t.Helper()
		if !reflect.DeepEqual(got.X, want.X) || len(got.Cells) != len(want.Cells) || !reflect.DeepEqual(got.CellTag,
			want.CellTag) ||
			len(got.Faces) != len(want.Faces) || len(got.Groups) != len(want.Groups) {
			t.Errorf("%s: %d cells, %d faces, groups %v", what, len(got.Cells), len(got.Faces), got.Groups)
		}
	}
	ours, byGmsh := filepath.Join(dir, "ours.msh"), filepath.Join(dir, "theirs.msh")
	for _, inBinary := range []bool{false, true} {
		if err := WriteSolid(ours, want, inBinary); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"msh22", "msh41"} {
			for _, bin := range []string{"0", "1"} {
				call(ours, "-save", "-format", format, "-setnumber", "Mesh.Binary", bin, "-o", byGmsh)
				got, err := ReadSolid(byGmsh)
				if err != nil {
					t.Fatal(err)
				}
				same(format+" binary "+bin, got)
			}
		}
	}
}

// A surface may be in several groups.
func TestSolidSeveralGroups(t *testing.T) {
	const text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 1\n8 0 0 0 1 1 1 2 3 4 0\n" +
		"9 0 0 0 1 1 1 1 7 0\n$EndEntities\n$Nodes\n1 4 1 4\n3 9 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n" +
		"$EndNodes\n$Elements\n2 2 1 2\n2 8 2 1\n1 1 3 2\n3 9 4 1\n2 1 2 3 4\n$EndElements\n"
	if _, err := parse([]byte(text)); !mesh.IsTetrahedra(err) {
		t.Fatalf("parse: error %v, want one about tetrahedra", err)
	}
	s, err := parseSolid([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	face := [3]int32{0, 2, 1}
	if want := []mesh.TaggedFace{{V: face, Tag: 3}, {V: face, Tag: 4}}; !reflect.DeepEqual(s.Faces, want) ||
		s.CellTag[0] != 7 {
		t.Errorf("faces %v, tag %v", s.Faces, s.CellTag)
	}
}
