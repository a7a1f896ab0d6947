package problem

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// brick is a case in space whose metric rotates and stretches everywhere.
const brick = `
solver = "smooth"
mesh = { generate = "box", bounds = [-1, 0, 0, 1, 1, 0.5], cells = 1200 }
metric = { width = "0.2 + 0.05*sin(3*x)", height = "0.3", depth = "0.1 + 0.1*z", angle = "40*x*y", samples = 16 }
method = { smoother = "pain-exact", sweeps = 6 }
output = { format = [], conservation_every = 3 }
`

// byGraph is metis, or another partition if libmetis is not installed.
var byGraph = sync.OnceValue(func() string {
	pair := partition.Graph{Start: []int32{0, 1, 2}, Adj: []int32{1, 0}}
	if _, err := partition.Partition(partition.METIS, pair, nil, 2, 0); err != nil {
		return string(partition.RCB)
	}
	return string(partition.METIS)
})

// TestSmoothSolidSameBits proves the same for tetrahedra: the same bits in every configuration.
func TestSmoothSolidSameBits(t *testing.T) {
	for k, smoother := range smooth.Smoothers {
		t.Run(smoother, func(t *testing.T) {
			t.Parallel()
			colouring := []string{"jones-plassmann", "first-fit"}[k%2]
			run := func(ranks, threads int, open runtest.Open, sets ...string) (*summary.Summary, string) {
				t.Helper()
				dir := t.TempDir()
				s, err := runtest.Run(t, brick, ranks, threads, open, dir,
					append(sets, "method.smoother="+smoother, "method.colouring="+colouring)...)
				if err != nil {
					t.Fatal(err)
				}
				table, err := os.ReadFile(filepath.Join(dir, "conservation.csv"))
				if err != nil {
					t.Fatal(err)
				}
				return s, string(table)
			}
			want, table := run(1, 1, runtest.Local)
			if want.Metrics["moved"] == 0 || want.Metrics["inverted"] != 0 || math.Abs(want.Metrics["area_drift"]) > 1e-14 ||
				math.Abs(want.Metrics["perimeter_drift"]) > 1e-14 {
				t.Errorf("metrics %v", want.Metrics)
			}
			same := func(what string, ranks, threads int, open runtest.Open, sets ...string) {
				t.Helper()
				got, rows := run(ranks, threads, open, sets...)
				if got.StateSHA256 != want.StateSHA256 || rows != table {
					t.Errorf("%s, %d ranks, %d threads, %v: state %.12s… and %.12s… on one\n%s\n%s", what, ranks, threads,
						sets, got.StateSHA256, want.StateSHA256, rows, table)
				}
				for key, v := range want.Metrics {
					if got.Metrics[key] != v {
						t.Errorf("%s, %d ranks, %v: %s = %v, on one rank %v", what, ranks, sets, key, got.Metrics[key], v)
					}
				}
			}
			for i, ranks := range []int{1, 2, 3, 4, 7} {
				cut := []string{"hilbert", "rcb", byGraph()}[i%3]
				same("local", ranks, 1+i%2, runtest.Local, "mesh.partition="+cut, "mesh.order="+[]string{"natural",
					"random"}[i%2])
				if (i+k)%2 > 0 {
					same("random", ranks, 1+k%2, runtest.Local, "mesh.partition=random", "mesh.order=random")
				} else {
					same("deep", ranks, 2, runtest.Local, "mesh.partition=random", "method.deep=true")
				}
			}
			same("grpc", 3, 1, runtest.GRPC, "mesh.partition=random")
			same("delayed", 4, 1, runtest.Delayed, "mesh.partition=random")
		})
	}
}

// TestSmoothSolidFrames proves that frames of several ranks, and the final mesh file, are the whole mesh, with
// quality, volume and groups.
func TestSmoothSolidFrames(t *testing.T) {
	dir := t.TempDir()
	s, err := runtest.Run(t, brick, 3, 1, runtest.Local, dir, "output.format=[\"vtu\"]", "output.every=3",
		"output.fields=[\"quality\", \"volume\"]", "output.mesh=end.msh", "mesh.partition=random",
		"method.force=true")
	if err != nil {
		t.Fatal(err)
	}
	end, err := meshio.ReadSolid(filepath.Join(dir, "end.msh"))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Min(end.CellData["quality"]) != s.Metrics["quality_min"] || len(end.Faces) == 0 {
		t.Errorf("%d faces, quality from %g, %g in the summary", len(end.Faces), slices.Min(end.CellData["quality"]),
			s.Metrics["quality_min"])
	}
	frames, err := vtk.ReadPVD(filepath.Join(dir, "case.pvd"))
	if err != nil || len(frames) != 3 || frames[2].Time != 6 {
		t.Fatal(frames, err)
	}
	last, err := vtk.ReadSolid(filepath.Join(dir, frames[2].File))
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, v := range last.CellData["volume"] {
		total += v
	}
	if math.Abs(total-1) > 1e-13 || len(last.Cells) != len(end.Cells) || len(last.X) != len(end.X) ||
		last.Check() != nil ||
		slices.Min(last.CellData["quality"]) != s.Metrics["quality_min"] {
		t.Errorf("a volume of %g in %d cells at %d vertices of %d: %v", total, len(last.Cells), len(last.X), len(end.X),
			last.Check())
	}
}

// TestSmoothSolidMetrics runs every kind of metric in space, on one rank and on three.
func TestSmoothSolidMetrics(t *testing.T) {
	defer func(least int64) { leastShared = least }(leastShared)
	leastShared = 1 // ranks share the arrays of metrics at vertices
	dir := t.TempDir()
	box, err := mesh.Box([3]float64{-1, 0, 0}, [3]float64{1, 1, .5}, 1200, 7)
	if err != nil {
		t.Fatal(err)
	}
	field, err := metric.Sample(metric.FromTetrahedra(box), func(x, y, z float64) metric.Tensor {
		return metric.Tensor{25 + x, y, 16, z, 0, 100 - 80*z}
	})
	if err != nil {
		t.Fatal(err)
	}
	box.VertexData = map[string][]float64{"wave": make([]float64, len(box.X))}
	for v := range box.X {
		box.VertexData["wave"][v] = math.Sin(4*box.X[v]) + box.Z[v]*box.Y[v]
	}
	sol, file := filepath.Join(dir, "a.solb"), filepath.Join(dir, "box.vtu")
	if err := errors.Join(medit.WriteSolution(sol, field.Solution(3)), meshio.WriteSolid(file, box)); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, set := range []string{
		`metric={field="uniform"}`, `metric={field="linear", low=0.3, high=0.1}`,
		`metric={field="sinusoidal", low=0.3, high=0.1}`,
		`metric={field="ugawg-linear"}`, `metric={field="linear", low=0.3, high=0.1, samples=16}`,
		`metric={m11="25+x", m12="y", m22="16", m13="z", m33="100-80*z"}`,
		`metric={m11="25+x", m12="y", m22="16", m13="z", m33="100-80*z", samples=0}`,
		`metric={solution="` + sol + `"}`, `metric={solution="` + sol + `", background="` + file + `", gradation=1.3}`,
		`metric={hessian="sin(4*x)+z*y", hmin=0.02, hmax=2}`, `metric={hessian={mesh="wave"}, hmin=0.02, hmax=2}`,
	} {
		for _, ranks := range []int{1, 3} {
			s, err := runtest.Run(t, brick, ranks, 1, runtest.Local, t.TempDir(), `mesh={file="`+file+`",
				partition="random"}`, set)
			if err != nil {
				t.Fatalf("%s: %v", set, err)
			}
			if was, again := states[set]; again && was != s.StateSHA256 || s.Metrics["moved"] == 0 ||
				s.Metrics["inverted"] != 0 {
				t.Errorf("%s, %d ranks: %v", set, ranks, s.Metrics)
			}
			states[set] = s.StateSHA256
		}
	}
	nodal, file2 := `metric={m11="25+x", m12="y", m22="16", m13="z", m33="100-80*z", samples=0}`,
		`metric={solution="`+sol+`"}`
	if states[nodal] != states[file2] {
		t.Error("expressions at the vertices, and the same in a file, differ")
	}
	if states[`metric={hessian="sin(4*x)+z*y", hmin=0.02, hmax=2}`] !=
		states[`metric={hessian={mesh="wave"}, hmin=0.02, hmax=2}`] {
		t.Error("the Hessian of an expression, and of the same vertex data, differ")
	}
}

func TestSmoothSolidRefuses(t *testing.T) {
	dir := t.TempDir()
	file, inverted := filepath.Join(dir, "box.mesh"), filepath.Join(dir, "inverted.mesh")
	box, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, 48, 7)
	if err != nil {
		t.Fatal(err)
	}
	err = meshio.WriteSolid(file, box)
	for v := range box.X { // across the box
		if box.X[v] == box.X[box.Cells[5][0]] {
			box.X[v] = 3
			break
		}
	}
	if err = errors.Join(err, meshio.WriteSolid(inverted, box)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ set, want string }{
		{`metric={m11="1", m22="1", m33="1", m13="2"}`, "[metric] the metric at (-1, 0, 0) is not positive definite"},
		{`metric={width="1", height="1", depth="z"}`, "[metric] at (-1, 0, 0): depth = 0 must be above 0"},
		{`metric={width="1", height="1"}`, "[metric] the mesh is of tetrahedra: give depth, along z"},
		{`metric={m11="1", m22="1"}`, "m33, and m13 and m23"},
		{`metric.samples=512`, "512 nodes a side in space"},
		{`output.fields=["area"]`, "triangles have an area"},
		{`mesh={file="` + file + `", refine=1}`, "refine = 1 cuts triangles"},
		{`mesh={file="` + inverted + `"}`, "inverted tetrahedr"},
		{`mesh={generate="delaunay", bounds=[0, 0, 1, 1], cells=50}`, "the mesh is of triangles"},
		{`metric={solution="` + file + `"}`, "box.mesh"},
	} {
		_, err := runtest.Run(t, brick, 3, 1, runtest.Local, dir, c.set)
		var input *solvers.BadInput
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %q", c.set, err, c.want)
		}
	}
}
