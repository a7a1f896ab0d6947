package problem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// wavy is a case whose metric rotates and stretches everywhere.
const wavy = `
solver = "smooth"
mesh = { generate = "delaunay", bounds = [-1, 0, 1, 1], cells = 400 }
metric = { width = "0.1 + 0.05*sin(3*x)", height = "0.3", angle = "40*x*y", samples = 32 }
method = { smoother = "pain-exact", sweeps = 12 }
output = { format = [], conservation_every = 4 }
`

// samplesInRuns holds the numbers of positions per axis at which runs measure the interpolation error of a metric
// on a grid. Tests use fewer, because every rank of every run does this, which would dominate their time;
// TestSmoothTellsOffGrid uses as many as runs.
var samplesInRuns = samplesPerAxis

func TestMain(m *testing.M) {
	samplesPerAxis[2], samplesPerAxis[3] = 16, 4
	goleak.VerifyTestMain(m)
}

// TestSmoothFrames proves that frames of several ranks are the whole mesh, with the quality of every triangle.
func TestSmoothFrames(t *testing.T) {
	dir := t.TempDir()
	s, err := runtest.Run(t, wavy, 3, 1, runtest.Local, dir, "output.format=[\"vtu\"]", "output.every=5",
		"output.fields=[\"quality\", \"area\"]", "output.mesh=end.msh", "method.force=true")
	if err != nil {
		t.Fatal(err)
	}
	end, err := meshio.Read(filepath.Join(dir, "end.msh"))
	if err != nil || len(end.Groups) != 4 || slices.Min(end.CellData["quality"]) != s.Metrics["quality_min"] {
		t.Error(err, end)
	}
	frames, err := vtk.ReadPVD(filepath.Join(dir, "case.pvd"))
	if err != nil || len(frames) != 4 || frames[3].Time != 12 {
		t.Fatal(frames, err)
	}
	whole, err := meshio.Read(filepath.Join(dir, frames[3].File)) // as another run would
	if err == nil {
		err = whole.Check()
	}
	if err != nil || len(whole.X) != len(end.X) || len(whole.Cells) != len(end.Cells) {
		t.Error("the frame as a mesh:", err)
	}
	g, err := vtk.Read(filepath.Join(dir, frames[3].File))
	if err != nil {
		t.Fatal(err)
	}
	quality, ok := g.CellData.Find("quality")
	area, ok2 := g.CellData.Find("area")
	if !ok || !ok2 {
		t.Fatal("fields are missing")
	}
	least, total := 2.0, 0.0
	for i, q := range quality.Float64s() {
		least = min(least, q)
		total += area.Float64s()[i]
	}
	if least != s.Metrics["quality_min"] || total < 2-1e-12 || total > 2+1e-12 {
		t.Errorf("quality %g and %g, area %g", least, s.Metrics["quality_min"], total)
	}
}

func TestSmoothStops(t *testing.T) {
	for _, c := range []struct {
		set, want string
		sweeps    float64
	}{
		{"stop.every=3", "sweeps", 12},
		{"stop.mean=0.001", "mean quality reached", 0},
		{"stop={every=3, worst=0.0001}", "worst quality reached", 0},
		{"stop={every=3, move=100}", "settled", 3},
		{"stop={every=5, advance=0.9}", "quality rises no more", 5},
		{"method.sweeps=0", "sweeps", 0},
	} {
		for _, every := range []int{1, 4, 5} { // the end of a run does not depend on its output
			s, err := runtest.Run(t, wavy, 2, 1, runtest.Local, t.TempDir(), c.set,
				fmt.Sprintf("output.conservation_every=%d", every))
			if err != nil {
				t.Fatal(c.set, err)
			}
			if s.Stopped != c.want || s.Metrics["sweeps"] != c.sweeps {
				t.Errorf("%s: stopped by %q after %g sweeps", c.set, s.Stopped, s.Metrics["sweeps"])
			}
		}
	}
}

func TestSmoothRefuses(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.mesh")
	text := "MeshVersionFormatted 2\nDimension 2\nVertices 4\n0 0 0\n1 0 0\n1 1 0\n.8 .4 0\nTriangles 2\n1 2 3 0\n1 " +
		"3 4 0\nEnd\n"
	if err := os.WriteFile(bad, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	surface := filepath.Join(dir, "surface.mesh")
	text = "MeshVersionFormatted 2\nDimension 3\nVertices 3\n0 0 0 0\n1 0 0 0\n0 1 2 0\nTriangles 1\n1 2 3 0\nEnd\n"
	if err := os.WriteFile(surface, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+".msh", 0o777); err != nil { // the test deletes it with the parent of dir
		t.Fatal(err)
	}
	for _, c := range []struct{ set, want string }{
		{`mesh={file="` + surface + `"}`,
			"surface.mesh: vertex 2 at (0, 1) has the third coordinate, or the field \"z\", 2"},
		{`metric={m11="1", m12="2", m22="1"}`, "[metric] the metric at (-1, 0) is not positive definite"},
		{`metric={width="x", height="1"}`, "[metric] at (-1, 0): width = -1 and height = 1 must be above 0"},
		{`metric={width="sqrt(x)", height="1"}`, "is not a number at x = -1"},
		{`mesh={file="` + bad + `"}`, "cell 1"},
		{`mesh={file="none.msh"}`, "none.msh"},
		{`output.mesh="none/a.msh"`, "[output] mesh: none/a.msh: give the name of a file in the output folder"},
		{`output.mesh="` + filepath.Join(dir, "none", "a.msh") + `"`, "a.msh cannot be written: "},
		{`output.mesh="` + dir + `.msh"`, ".msh cannot be written: it is a folder"},
		{`output.mesh="a.stl"`, "[output] mesh: a.stl: meshes are written to"},
	} {
		_, err := runtest.Run(t, wavy, 3, 1, runtest.Local, dir, c.set)
		var input *solvers.BadInput
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %q", c.set, err, c.want)
		}
	}
}

// TestSharesArriveUnchanged proves that a rank receives the share that rank 0 has cut for it, a local mesh or a
// part.
func TestSharesArriveUnchanged(t *testing.T) {
	c, err := solvers.Parse("case.toml", []byte(wavy), nil)
	if err != nil {
		t.Fatal(err)
	}
	w := c.Sections.(*Sections)
	whole, err := loadMesh(c, w.Mesh)
	if err != nil {
		t.Fatal(err)
	}
	for _, deep := range []bool{false, true} { // a local mesh, and a part
		w.Method.Deep = deep
		share, err := whole.cut(t.Context(), w, 2, false, newStageLog(nil))
		if err != nil {
			t.Fatal(err)
		}
		cut := []rankShare{share(0), share(1)} // each can be requested once
		comms := local.New(2)
		disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
			got, err := decompose.Share(ctx, c, func(rank int) (*rankShare, error) {
				return &cut[rank], nil
			})
			if err == nil && !reflect.DeepEqual(*got, cut[c.Rank()]) {
				err = fmt.Errorf("deep = %v: another share has arrived", deep)
			}
			return err
		})
		disttest.Close(t, comms)
	}
}

func TestFramesOnDevice(t *testing.T) {
	sets := []string{"method={sweeps=30, smoother='pain'}", "output={every=1, fields=['quality', 'area']}"}
	runtest.FramesOnDevice(t, plane, sets...)
	runtest.FramesOnDevice(t, plane, append(sets, "method.precision='float32'", "output.compress=true")...)
	runtest.FramesOnDevice(t, plane, append(sets, "output.files='rank'", "metric={field='uniform'}",
		"mesh={generate='box', bounds=[0, 0, 0, 1, 1, 1], cells=6000}", "output.fields=['quality', 'volume']")...)
}
