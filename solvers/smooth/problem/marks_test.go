package problem

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRequiredStay: vertices that a Medit file requires, those of its required edges and triangles, its corners and its
// ridges inside are where they were, to the last bit, on any number of ranks, while others move; and the marks are in
// the file that comes out.
func TestRequiredStay(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 400, 3)
	if err != nil {
		t.Fatal(err)
	}
	c := m.Cells
	m.Marks = &mesh.Marks{Corners: []int32{c[20][0]}, Vertices: []int32{c[100][0], c[101][2], 5},
		Ridges: []mesh.MarkedEdge{{A: c[300][0], B: c[300][1]}}, Edges: []mesh.MarkedEdge{{A: c[200][0], B: c[200][1]}},
		Triangles: []mesh.TaggedFace{{V: c[250]}}}
	s, err := mesh.Cube(4, 4, 4, .1, 2)
	if err != nil {
		t.Fatal(err)
	}
	k := s.Cells
	s.Marks = &mesh.Marks{Corners: []int32{k[20][0]}, Vertices: []int32{k[100][0], k[101][2], 62},
		Ridges: []mesh.MarkedEdge{{A: k[300][0], B: k[300][1]}}, Edges: []mesh.MarkedEdge{{A: k[200][0], B: k[200][1]}},
		Triangles: []mesh.TaggedFace{{V: s.Facing(150, 0)}}}
	dir := t.TempDir()
	plane, space := filepath.Join(dir, "a.mesh"), filepath.Join(dir, "s.meshb")
	if err := meshio.Write(plane, m); err != nil {
		t.Fatal(err)
	}
	if err := meshio.WriteSolid(space, s); err != nil {
		t.Fatal(err)
	}
	for _, smoother := range []string{"barrier", "pain-exact"} {
		hash := map[bool]string{}
		for _, ranks := range []int{1, 3} {
			for _, solid := range []bool{false, true} {
				text := "solver = \"smooth\"\nmetric = { width = \"0.1 + 0.2*x\", height = 0.1, depth = 0.2 }\n" +
					"output = { format = [] }\n"
				file, out := space, "end.mesh"
				if !solid {
					text = "solver = \"smooth\"\nmetric = { width = \"0.1 + 0.2*x\", height = 0.1 }\n" +
						"output = { format = [] }\n"
					file, out = plane, "end.meshb"
				}
				to := t.TempDir()
				sum, err := runtest.On(t, text, ranks, 1, runtest.Local, to,
					fmt.Sprintf("mesh={file=%q, partition='random'}", file),
					"method.smoother="+smoother, "method.sweeps=20", "method.force=true", "output.mesh="+out)
				if err != nil {
					t.Fatal(err)
				}
				if hash[solid] == "" {
					hash[solid] = sum.StateSHA256
				}
				if sum.StateSHA256 != hash[solid] || sum.Metrics["moved"] < 20 {
					t.Errorf("%s, %d ranks: state %s, on one %s, %g moved", smoother, ranks, sum.StateSHA256, hash[solid],
						sum.Metrics["moved"])
				}
				if solid {
					after, err := meshio.ReadSolid(filepath.Join(to, out))
					if err != nil {
						t.Fatal(err)
					}
					sameMarks(t, s.Marks, after.Marks, len(s.X), func(v int) bool { return s.At(int32(v)) == after.At(int32(v)) })
					continue
				}
				after, err := meshio.Read(filepath.Join(to, out))
				if err != nil {
					t.Fatal(err)
				}
				sameMarks(t, m.Marks, after.Marks, len(m.X), func(v int) bool {
					return m.X[v] == after.X[v] && m.Y[v] == after.Y[v]
				})
			}
		}
	}
}

// sameMarks wants the marks to be the same, and the vertices that they hold to stay.
func sameMarks(t *testing.T, was, is *mesh.Marks, n int, stays func(v int) bool) {
	t.Helper()
	if !reflect.DeepEqual(was, is) {
		t.Errorf("marks %+v, were %+v", is, was)
	}
	held, ridged := was.Held(n), was.Ridged(n)
	for v := range n {
		if (held[v] || ridged[v]) && !stays(v) {
			t.Errorf("vertex %d has moved", v)
		}
	}
}
