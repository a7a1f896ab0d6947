package heat

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const warm = `
solver = "heat"
grid = { bounds = [0, 0, 1.2, 0.9], cells = [12, 9] }
physics = { conductivity = 0.01 }
initial = { T = "x > 0.6 ? 300 : 280 + 10*y" }
time = { end = 2 }
output = { every = 1, conservation_every = 5 }
gauge = [{ name = "middle", at = [0.6, 0.45] }]
`

// bar is a case in space with one periodic axis.
const bar = `
solver = "heat"
grid = { bounds = [0, 0, 0, 4, 1, 1], cells = [16, 4, 4], periodic = ["x"] }
physics = { conductivity = 1 }
initial = { T = "x < 1 ? 400 : 300" }
time = { end = 0.5 }
`

// TestOutputFollowsFromDeclarations: the frames, gauges, tables, hash and drift of solver heat are made from the field
// that it declares, and do not depend on ranks, threads and transport.
func TestOutputFollowsFromDeclarations(t *testing.T) {
	var first [3]string
	for n, open := range []runtest.Open{runtest.Local, runtest.Local, runtest.Delayed, runtest.GRPC} {
		dir := t.TempDir()
		s, err := runtest.Run(t, warm, 1+n, 1+n%2, open, dir)
		if err != nil {
			t.Fatal(err)
		}
		if s.Steps < 10 || s.Cells != 108 || !(math.Abs(s.Conservation["heat"]) < 1e-14) || s.Metrics["heat"] < 300 {
			t.Errorf("%d ranks: summary %+v", 1+n, s)
		}
		got := [3]string{s.StateSHA256}
		for k, file := range []string{"gauges/middle.csv", "conservation.csv"} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			got[1+k] = string(text)
		}
		if n == 0 {
			first = got
		}
		if got != first {
			t.Errorf("%d ranks: %q, on one %q", 1+n, got, first)
		}
		frames, err := vtk.ReadPVD(filepath.Join(dir, "case.pvd"))
		if err != nil || len(frames) != 3 {
			t.Fatal(frames, err)
		}
		image, err := vtk.ReadImage(filepath.Join(dir, frames[2].File))
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := image.CellData.Find("T"); !ok || a.Tuples() != 108 || a.Float64s()[0] < 280 || a.Float64s()[11] > 300 {
			t.Errorf("%d ranks: T %v", 1+n, a)
		}
	}
}

func TestRestarts(t *testing.T) {
	for _, text := range []string{warm, bar} {
		runtest.Restarts(t, text, []int{1, 4}, "output.format=[]")
	}
}

func TestOutputChangesNothing(t *testing.T) { runtest.OutputChangesNothing(t, warm, .5) }

func TestRestartsAfterKill(t *testing.T) {
	runtest.RestartsAfterKill(t, warm, "checkpoint.steps=3")
}

func TestHaloReachesTheSolver(t *testing.T) { runtest.HaloOptionReachesSolver(t, warm) }
func TestMemoryIsCheckedFirst(t *testing.T) { runtest.MemoryIsCheckedFirst(t, .8, bar) }

// TestInfiniteValueIsReported proves that an infinite value is reported with rank, cell, position, step and field, the
// same on all ranks.
func TestInfiniteValueIsReported(t *testing.T) {
	_, err := runtest.Run(t, warm, 2, 1, runtest.Local, t.TempDir(), "initial.T=x > 1 && y > 0.8 ? 1e308 : -1e308")
	if err == nil || !strings.Contains(err.Error(), "rank 1: cell 46 at (1.05, 0.35), step 5: T is +Inf in {T: +Inf}") {
		t.Errorf("error %v", err)
	}
}

// TestChecks proves that atoll verify runs the check that heat declares.
func TestChecks(t *testing.T) {
	suite, ok := verify.Find("heat")
	if !ok {
		t.Fatal("no suite of checks is registered")
	}
	var page strings.Builder
	report, err := suite.Run(t.Context(), &page, verify.Options{Quick: true, Threads: 1})
	if err != nil || len(report.Checks) != 1 || report.Checks[0].Bounds != 6 {
		t.Errorf("report %+v, error %v:\n%s", report, err, &page)
	}
}

func TestStepsDoNotAllocate(t *testing.T) { runtest.NothingIsAllocated(t, 3, bar) }

// TestExactField proves that errors against an exact solution are in the summary, do not depend on the number of
// ranks, and fall with order 2.
func TestExactField(t *testing.T) {
	exact := decay + "\nexact = { T = \"300 + 10*cos(pi*x)*cos(pi*y)*exp(-0.2*pi^2*t)\" }\n"
	var coarse, fine map[string]float64
	for ranks := 1; ranks <= 2; ranks++ {
		s, err := runtest.Run(t, strings.Replace(exact, "[32, 32]", "16", 1), ranks, 1, runtest.Local, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if coarse == nil {
			coarse = s.Metrics
		}
		for _, name := range []string{"T_l1_error", "T_l2_error", "T_max_error"} {
			if v := s.Metrics[name]; v != coarse[name] || !(v > 0 && v < 0.1) {
				t.Errorf("%d ranks: %s is %g, on one %g", ranks, name, v, coarse[name])
			}
		}
	}
	s, err := runtest.Run(t, exact, 1, 2, runtest.Local, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fine = s.Metrics
	if order := math.Log2(coarse["T_l2_error"] / fine["T_l2_error"]); !(order > 1.9 && order < 2.1) {
		t.Errorf("order %g", order)
	}
	if !(fine["T_l1_error"] <= fine["T_l2_error"] && fine["T_l2_error"] <= fine["T_max_error"]) {
		t.Errorf("%v", fine)
	}
}

// TestTotalsOnDevices: a device with separate memory adds up the heat while steps go on. Rows of conservation.csv are
// equal in every byte to those that the host adds up. A number that is not finite is reported with the step of its row
// and the first cell that has one, though the host reads the row later.
func TestTotalsOnDevices(t *testing.T) {
	runtest.RowsAreAsynchronous(t, warm, "output.conservation_every=1")
	runtest.RowsAreAsynchronous(t, bar, "output.conservation_every=2")
	c := runtest.Parse(t, warm, "initial.T='x > 0.6 && y > 0.6 ? 1.7e308 : -1.7e308'")
	host, gpu := cpu.New(1), backendtest.NewFakeGPU(cpu.New(1), 1<<30)
	var texts []string
	for _, dev := range []backend.Device{host, gpu} {
		err := runtest.RunEach(t, c, local.New(1), func() backend.Device { return dev })[0]
		if err == nil {
			t.Fatal("no error")
		}
		texts = append(texts, err.Error())
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "step 5: T is ") {
		t.Errorf("got errors %q", texts)
	}
}
