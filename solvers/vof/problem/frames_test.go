package problem

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/balance"
)

// In all tests blocks move whenever they can.
func TestMain(m *testing.M) {
	balance.Eager = true
	goleak.VerifyTestMain(m)
}

const swirl = `
solver = "vof"
grid = { bounds = [0, 0, 1, 1], cells = [40, 36] }
initial = { shape = "difference(circle(0.5, 0.7, 0.2), box(0.45, 0.4, 0.55, 0.7))" }
velocity = { field = "rider-kothe", period = 2 }
time = { end = 2, max_steps = 30 }
output = { format = [], conservation_every = 5 }
`

const shearedBody = `
solver = "vof"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [16, 18, 20], periodic = ["x"] }
initial = { shape = "(x-0.4)^2 + (y-0.4)^2 + (z-0.4)^2 - 0.06", fractions = "divide", levels = 3 }
velocity = { u = "1", v = "0.5*x", w = "0.25*y", period = 1 }
time = { end = 1, max_steps = 12 }
output = { format = [], conservation_every = 4 }
`

// TestFrames proves that the frames of several ranks cover the whole grid and its interface.
func TestFrames(t *testing.T) {
	dir := t.TempDir()
	s, err := runtest.Run(t, shearedBody, 4, 1, runtest.Local, dir, `output.format=["vti", "vtp"]`,
		"output.fields=['f', 'normal', 'alpha']",
		"output.files='rank'")
	if err != nil {
		t.Fatal(err)
	}
	frames, err := vtk.ReadPVD(filepath.Join(dir, "case.pvd"))
	if err != nil || len(frames) != 2 {
		t.Fatal(frames, err)
	}
	cells, polygons, volume := 0, 0, 0.0
	for rank := range 4 {
		file := strings.Replace(frames[1].File, ".pvti", "_r000"+string(rune('0'+rank))+".vti", 1)
		m, err := vtk.ReadImage(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		f, ok := m.CellData.Find("f")
		normal, ok2 := m.CellData.Find("normal")
		if !ok || !ok2 || normal.Components != 3 {
			t.Fatal("fields are missing")
		}
		cells += m.Cells()
		for _, v := range f.Float64s() {
			volume += v / (16 * 18 * 20)
		}
		p, err := vtk.ReadPolyData(filepath.Join(dir, strings.Replace(file, ".vti", ".vtp", 1)))
		if err != nil {
			t.Fatal(err)
		}
		polygons += p.Polys.Len()
	}
	if polygons == 0 {
		t.Error("no interface")
	}
	if want := s.Metrics["volume"]; cells != 16*18*20 || volume < want-1e-12 || volume > want+1e-12 {
		t.Errorf("%d cells of volume %g, in the summary %g", cells, volume, want)
	}
}

// TestExact proves that errors are computed with the exact solution of the case, if it has one.
func TestExact(t *testing.T) {
	const shifted = "velocity={u=0.25, v=0}"
	base := []string{shifted, `initial.shape="circle(0.3, 0.5, 0.15)"`, "time={end=0.8}", "method.normal='elvira'"}
	against, err := runtest.Run(t, swirl, 2, 1, runtest.Local, t.TempDir(), base...)
	if err != nil {
		t.Fatal(err)
	}
	var first float64
	for _, ranks := range []int{1, 4} {
		s, err := runtest.Run(t, swirl, ranks, 1, runtest.Local, t.TempDir(),
			append(base, `exact={shape="circle(0.5, 0.5, 0.15)"}`)...)
		if err != nil {
			t.Fatal(err)
		}
		l1, rel := s.Metrics["l1_error"], s.Metrics["rel_error"]
		if first == 0 {
			first = l1
		}
		if !(rel > 0 && rel < 0.02) || l1 != first || !(against.Metrics["rel_error"] > 0.5) {
			t.Errorf("%d ranks: errors %g and %g, on one %g; against the start %g", ranks, l1, rel, first,
				against.Metrics["rel_error"])
		}
		if want := rel * math.Pi * 0.15 * 0.15; math.Abs(l1-want) > 1e-9*want {
			t.Errorf("l1_error %g, rel_error times the area %g", l1, want)
		}
		if s.StateSHA256 != against.StateSHA256 {
			t.Error("the exact shape changed the state")
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"grid.blocks=[7, 1]", "[grid] blocks"},
		{"method={sweep='tiles', exchange='sweep'}", `[method] sweep "tiles" unavailable: tiles need exchange "step"`},
		{`velocity={u="x", v="0"}`, "[velocity] the net flow out of a cell is up to"},
		{`velocity={psi="sqrt(x-0.5)"}`, "[velocity] psi: "},
		{`initial.shape="sqrt(x-0.5)"`, "[initial] shape: "},
		{`exact={shape="sqrt(x-0.5)"}`, "[exact] shape: "},
		{"grid.cells=[4, 2]", "[grid]"},
		{"method.exchange='steps'", `[method] exchange "steps" unavailable: halo: box 0 along `},
		{"output={format=['vdb'], fields=['normal']}", "[output] format: vdb needs a field with one component"},
	} {
		_, err := runtest.Run(t, swirl, 3, 1, runtest.Local, t.TempDir(), c.set)
		var input *solvers.BadInput
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %q", c.set, err, c.want)
		}
	}
}

// TestStopsInSetUp proves that a run that is cancelled during set-up ends there, without output files.
func TestStopsInSetUp(t *testing.T) {
	c, err := solvers.Parse("case.toml", []byte(swirl), []string{"velocity={psi='sin(x)*y'}"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b, err := (&grid.Grid{Dim: 2, N: [3]int{40, 36, 1}, Hi: [3]float64{1, 1, 0}}).Whole(2)
	if err != nil {
		t.Fatal(err)
	}
	w := c.Sections.(*Sections)
	comm := runtest.Local(t, 1)[0]
	defer comm.Close()
	if f, _, err := fractions(ctx, comm, "[initial]", &w.Initial, c.Path, b); !errors.Is(err, context.Canceled) {
		t.Errorf("%d fractions, error %v", len(f), err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	dev := cpu.New(1)
	defer dev.Close()
	if _, err := run.Run(ctx, run.Options{Case: c, Comm: comm, Device: dev, Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("run: error %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the output folder exists: %v", err)
	}
}

func TestFramesOnDevice(t *testing.T) {
	sets := []string{"grid.cells=[96, 96]", "time={end=0.3}",
		"output={every=0.01, format=['vti', 'vtp'], fields=['f', 'curvature', 'normal']}"}
	runtest.FramesOnDevice(t, vortex, sets...)
	runtest.FramesOnDevice(t, vortex, append(sets, "method.precision='float32'", "output.compress=true")...)
}

// TestFormatsDoNotShareFiles proves that frames in several formats, with a file for each rank, have the bytes of frames
// in each format alone.
func TestFormatsDoNotShareFiles(t *testing.T) {
	formats := []string{"vti", "vdb", "vtp", "stl", "obj", "plic"}
	frames := func(names ...string) string {
		dir := t.TempDir()
		if _, err := runtest.Run(t, shearedBody, 2, 1, runtest.Local, dir, "output.files='rank'", "time.max_steps=2",
			"output.format=['"+strings.Join(names, "','")+"']"); err != nil {
			t.Fatalf("%v: %v", names, err)
		}
		return filepath.Join(dir, "frames")
	}
	together := frames(formats...)
	count := 0
	for _, format := range formats {
		alone := frames(format)
		files, err := os.ReadDir(alone)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		count += len(files)
		for _, file := range files {
			want, err := os.ReadFile(filepath.Join(alone, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(together, file.Name()))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s of %v and %s alone differ, error %v", file.Name(), formats, format, err)
			}
		}
	}
	if files, err := os.ReadDir(together); err != nil || len(files) != count {
		t.Errorf("%d files, error %v; want %d", len(files), err, count)
	}
}
