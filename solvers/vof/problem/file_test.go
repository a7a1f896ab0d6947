package problem

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// fromFiles is a case whose paths are absolute.
const fromFiles = `
solver = "vof"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [12, 10, 8] }
initial = { shape = "stl(%[1]s/box.stl)" }
velocity = { faces = "%[1]s/faces.npz" }
time = { end = 0.1, max_steps = 3 }
output = { format = [] }
`

// boxSTL writes the box from lo to hi, without its last triangles if some are missing.
func boxSTL(t *testing.T, path string, lo, hi [3]float64, missing int) {
	t.Helper()
	p := &vtk.PolyData{}
	for corner := range 8 {
		for d := range 3 {
			p.Points = append(p.Points, [2]float64{lo[d], hi[d]}[corner>>d&1])
		}
	}
	faces := [][4]int64{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}
	for _, f := range faces[:len(faces)-missing] {
		p.Polys.Add(f[:]...)
	}
	if err := vtk.WriteSTL(path, p); err != nil {
		t.Fatal(err)
	}
}

// TestVOFOfFiles proves that a body and a velocity from files give the same results for any number of ranks, and
// those of the equivalent named shape and velocity: to round-off by quadrature, approximately by division.
func TestVOFOfFiles(t *testing.T) {
	dir := t.TempDir()
	boxSTL(t, filepath.Join(dir, "box.stl"), [3]float64{0.25, 0.3125, 0.125}, [3]float64{0.625, 0.75, 0.5}, 0)
	runtest.FaceFile(t, filepath.Join(dir, "faces.npz"), [3]int{12, 10, 8}, 0.5, 0)
	text := fmt.Sprintf(fromFiles, dir)
	want, err := runtest.Run(t, text, 1, 1, runtest.Local, t.TempDir(), `velocity={u=0.5, v=0, w=0}`,
		`initial.shape="box(0.25, 0.3125, 0.125, 0.625, 0.75, 0.5)"`)
	if err != nil {
		t.Fatal(err)
	}
	for method, tolerance := range map[string]float64{"quadrature": 1e-13, "divide": 2e-3} {
		hash := ""
		for _, ranks := range []int{1, 3} {
			got, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir(), "initial.fractions="+method)
			if err != nil {
				t.Fatal(err)
			}
			if hash == "" {
				hash = got.StateSHA256
			}
			if v, w := got.Metrics["volume"], want.Metrics["volume"]; math.Abs(v-w) > tolerance*w || w == 0 ||
				got.StateSHA256 != hash {
				t.Errorf("%s, %d ranks: volume %g, not %g; states %.12s and %.12s", method, ranks, v, w, got.StateSHA256, hash)
			}
		}
	}
}

// TestVOFRefusesFiles proves that errors in files name the file.
func TestVOFRefusesFiles(t *testing.T) {
	dir := t.TempDir()
	boxSTL(t, filepath.Join(dir, "box.stl"), [3]float64{0.25, 0.25, 0.25}, [3]float64{0.5, 0.5, 0.5}, 0)
	boxSTL(t, filepath.Join(dir, "open.stl"), [3]float64{0.25, 0.25, 0.25}, [3]float64{0.5, 0.5, 0.5}, 1)
	runtest.FaceFile(t, filepath.Join(dir, "faces.npz"), [3]int{12, 10, 8}, 0.5, 0)
	runtest.FaceFile(t, filepath.Join(dir, "long.npz"), [3]int{12, 10, 8}, 0.5, 1)
	for set, want := range map[string]string{
		`initial.shape="stl(` + dir + `/open.stl)"`:  "open.stl: the edge from",
		`initial.shape="stl(` + dir + `/none.stl)"`:  "/none.stl: no such file",
		`initial.shape="stl(` + dir + `/faces.npz)"`: "faces.npz: ",
		`velocity.faces="` + dir + `/long.npz"`:      "[velocity] " + dir + "/long.npz: array u.npy: ",
		`velocity.faces="` + dir + `/box.stl"`:       "box.stl: not an archive",
	} {
		_, err := runtest.Run(t, fmt.Sprintf(fromFiles, dir), 2, 1, runtest.Local, t.TempDir(), set)
		var input *solvers.BadInput
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", set, err, want)
		}
	}
}

// TestVOFPotential proves that the velocity of a vector potential has no divergence.
func TestVOFPotential(t *testing.T) {
	s, err := runtest.Run(t, shearedBody, 2, 1, runtest.Local, t.TempDir(), "grid.periodic=[]",
		`velocity={ax="z*x*y^2", ay="sin(z)+x^3", az="cos(x*y)", period=2}`)
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Metrics["divergence_max"]; !(d < 1e-12) || s.Metrics["cfl_sum"] == 0 {
		t.Errorf("divergence %g, CFL %g", d, s.Metrics["cfl_sum"])
	}
}

// TestVOFVelocitySeries proves that CFL numbers of a time series are those of its fastest time.
func TestVOFVelocitySeries(t *testing.T) {
	runtest.VelocitySeries(t, `
solver = "vof"
grid = { bounds = [0, 0, 0, 1.5, 1.25, 1], cells = [12, 10, 8], periodic = ["x"] }
initial = { shape = "sphere(0.5, 0.6, 0.5, 0.3)" }
velocity = { u = "1", v = "0", w = "0" }
time = { end = 1 }
output = { format = [] }
`, "cfl_sum", "cfl_axis")
}
