package problem

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/backend/cuda"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRequiredStay proves that vertices that a Medit file marks as required (directly, by edges or triangles,
// corners, and inner ridges) keep their bits, while others move to the same positions on any number of ranks, on
// devices with separate memory and on a GPU; and that the marks are in the output file.
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
		Triangles: []mesh.TaggedFace{{V: s.FaceOpposite(150, 0)}},
		Lines:     []mesh.MarkedEdge{{A: k[310][0], B: k[310][1], Tag: 4}}}
	dir := t.TempDir()
	plane, space := filepath.Join(dir, "a.mesh"), filepath.Join(dir, "s.meshb")
	if err := meshio.Write(plane, m); err != nil {
		t.Fatal(err)
	}
	if err := meshio.WriteSolid(space, s); err != nil {
		t.Fatal(err)
	}
	for _, smoother := range []string{"barrier", "pain-exact"} {
		for _, file := range []string{plane, space} {
			depth := ""
			if file == space {
				depth = ", depth = 0.2"
			}
			var first string
			for _, on := range configurations(t) {
				out := filepath.Join(t.TempDir(), "end"+map[string]string{plane: ".meshb", space: ".mesh"}[file])
				c := runtest.Parse(t, "solver = \"smooth\"\nmetric = { width = \"0.1 + 0.2*x\", height = 0.1"+depth+" }\n"+
					"output = { format = [] }\n", fmt.Sprintf("mesh={file=%q, partition='random'}", file),
					"method.smoother="+smoother, "method.sweeps=20", "method.force=true", fmt.Sprintf("output.mesh=%q", out))
				if err := errors.Join(runtest.RunEach(t, c, local.New(on.ranks), on.device)...); err != nil {
					t.Fatal(err)
				}
				if first == "" {
					first = out
				}
				checkKept(t, file, first, out)
			}
		}
	}
}

// ranksOn is a number of ranks, and their devices.
type ranksOn struct {
	ranks  int
	device func() backend.Device
}

// configurations returns numbers of ranks and devices: on the host, on devices with separate memory and, if there
// is one, on a GPU that ranks share.
func configurations(t *testing.T) []ranksOn {
	t.Helper()
	host := func() backend.Device { return cpu.New(1) }
	all := []ranksOn{{1, host}, {3, host}, {2, func() backend.Device { return backendtest.NewFakeGPU(cpu.New(1), 1<<30) }}}
	dev, err := cuda.Open(cuda.Options{})
	if err != nil {
		t.Logf("NOT TESTED: no GPU to smooth on: %v", err)
		return all
	}
	dev.Close()
	gpu := func() backend.Device {
		dev, err := cuda.Open(cuda.Options{})
		if err != nil {
			panic(err)
		}
		return dev
	}
	return append(all, ranksOn{1, gpu}, ranksOn{2, gpu})
}

// checkKept checks that the file out has the marks of the input file and the marked vertices at the same positions,
// that others have moved, and that it equals other, the output of another run.
func checkKept(t *testing.T, file, other, out string) {
	t.Helper()
	var x [3][][]float64
	var marks [3]*mesh.Marks
	for k, path := range []string{file, other, out} {
		m, s, err := meshio.ReadAny(path)
		if err != nil {
			t.Fatal(err)
		}
		if s != nil {
			x[k], marks[k] = [][]float64{s.X, s.Y, s.Z}, s.Marks
		} else {
			x[k], marks[k] = [][]float64{m.X, m.Y}, m.Marks
		}
	}
	if !reflect.DeepEqual(x[1], x[2]) {
		t.Errorf("%s: positions differ from those on one rank", out)
	}
	if !reflect.DeepEqual(marks[0], marks[2]) {
		t.Errorf("%s: marks %+v, were %+v", out, marks[2], marks[0])
	}
	n, moved := len(x[0][0]), 0
	held, ridged := marks[0].Held(n), marks[0].OnRidge(n)
	for v := range n {
		stays := true
		for axis := range x[0] {
			stays = stays && x[0][axis][v] == x[2][axis][v]
		}
		if !stays {
			moved++
			if held[v] || ridged[v] {
				t.Errorf("%s: vertex %d has moved", out, v)
			}
		}
	}
	if moved < 20 {
		t.Errorf("%s: %d vertices moved", out, moved)
	}
}
