package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/solverstest"
)

// sweeper is a solver that counts sweeps, on a grid of one cell whose field is that count. It advances as far as it
// may, and is done after a given number of sweeps.
type sweeper struct {
	solverstest.Plain
	size      solvers.Size
	doneAfter int // the sweep after which it is done; 0 for never
	swept     int
	calls     []string
	err       error
	cells     *solvers.Space
	fields    []solvers.Field
}

func (s *sweeper) Size() solvers.Size { return s.size }

func (s *sweeper) Advance(_ context.Context, until, pause float64, steps int) (bool, error) {
	n := min(steps, int(min(until, math.Ceil(pause)))-s.swept)
	if s.doneAfter > 0 {
		n = min(n, s.doneAfter-s.swept)
	}
	s.swept += n
	s.calls = append(s.calls, fmt.Sprint(n))
	return s.swept == s.doneAfter, s.err
}

func (s *sweeper) Clock() solvers.Clock {
	return solvers.Clock{Time: float64(s.swept), Steps: s.swept, Dt: 1}
}

func (s *sweeper) Measure(context.Context) ([]solvers.Quantity, error) {
	return []solvers.Quantity{
		{Name: "quality", Value: float64(s.swept) / 2, Outputs: solvers.Column | solvers.Metric},
		{Name: "moved", Value: 3, Outputs: solvers.Column}, {Name: "area_drift", Outputs: solvers.Drift},
	}, nil
}

func (s *sweeper) Fields() []solvers.Field {
	if s.cells != nil {
		return s.fields
	}
	space := &solvers.Space{Name: "cell", Owned: 1, Key: func(int) int64 { return 0 }, Format: "vti"}
	space.Geometry = func(context.Context) (solvers.Geometry, error) {
		box := vtk.Box{N: [3]int{1, 1, 1}}
		return solvers.Geometry{Block: &vtk.Image{Dim: 2, Whole: box.N, Box: box, Spacing: [3]float64{1, 1}},
			Boxes: []vtk.Box{box}}, nil
	}
	s.cells = space
	s.fields = []solvers.Field{{Name: "swept", Space: space, View: func() solvers.View {
		return solvers.ViewOf[int64](nil, []int64{int64(s.swept)}, 0)
	}}, {Name: "flow", Space: space, Components: []string{"fx", "fy"}, Values: func(context.Context) ([]float64, error) {
		return []float64{1, float64(s.swept)}, nil
	}}}
	return s.fields
}

func (s *sweeper) Shapes() []solvers.Shape {
	return []solvers.Shape{{Format: "points", File: "vtp", Faces: func(context.Context) (*solvers.Faces, error) {
		s.calls = append(s.calls, "points")
		f := &solvers.Faces{Space: s.cells, Entities: []int{0}, FieldNames: []string{"flow"}}
		f.Points = []float64{0, 0, 0}
		f.Verts.Add(0)
		return f, nil
	}}}
}

func (s *sweeper) State(context.Context) ([]solvers.State, error) {
	return []solvers.State{{Owned: 1, Key: func(int) int64 { return 0 }, Size: 3,
		Bytes: func(int) []byte { return []byte("abc") }}}, nil
}
func (s *sweeper) Close() { s.calls = append(s.calls, "close") }

// testSolver is the instance that the registered solver "test" returns.
var testSolver *sweeper

func init() {
	solvers.Register(solvers.Kind{Name: "test",
		Decode: func(_ *config.Section, c *config.Case) { c.Sections = noSections{} },
		New: func(context.Context, solvers.Env, *config.Case) (solvers.Solver, error) {
			return struct{ solvers.Solver }{testSolver}, nil // hides Restarter: without state to save there are no polls
		}})
}

type noSections struct{}

func (noSections) Print(*config.Printer) {}

// runSolver runs a solver by Run.
func runSolver(t *testing.T, s *sweeper, o config.Output, gauges ...config.Gauge) (*summary.Summary, error) {
	t.Helper()
	testSolver = s
	c, err := solvers.Parse("case.toml", []byte("solver = 'test'"), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Fields = []string{"swept"}
	c.Output, c.Gauges = o, gauges
	dev := cpu.New(1)
	defer dev.Close()
	return Run(context.Background(), Options{Case: c, Comm: local.New(1)[0], Device: dev})
}

func TestSweeps(t *testing.T) {
	for name, test := range map[string]struct {
		size              solvers.Size
		doneAfter         int
		every             float64
		conservationEvery int
		calls             string // number of steps of each advance, and points for each frame
		table             []int  // sweeps at which rows are written
		frames            []string
	}{
		"to the end": {solvers.Size{End: 10}, 0, 0, 100, "points 10 points close", []int{0, 10}, []string{"0",
			"10"}},
		"with frames": {solvers.Size{End: 10}, 0, 4, 100, "points 4 points 4 points 2 points close",
			[]int{0, 10},
			[]string{"0", "4", "8", "10"}},
		"with rows": {solvers.Size{End: 10}, 0, 0, 3, "points 3 3 3 1 points close", []int{0, 3, 6, 9, 10},
			[]string{"0", "10"}},
		"with both": {solvers.Size{End: 10}, 0, 4, 3, "points 3 1 points 2 2 points 1 1 points close",
			[]int{0, 3, 6, 9, 10}, []string{"0", "4", "8", "10"}},
		"to a limit": {solvers.Size{End: 10, MaxSteps: 7}, 0, 4, 100, "points 4 points 3 points close",
			[]int{0, 7},
			[]string{"0", "4", "7"}},
		"until done": {solvers.Size{End: 10}, 5, 4, 100, "points 4 points 1 points close", []int{0, 5},
			[]string{"0", "4", "5"}},
		"done at a frame": {solvers.Size{End: 10}, 4, 4, 2, "points 2 2 points close", []int{0, 2, 4},
			[]string{"0", "4"}},
		"no sweeps": {solvers.Size{End: 0}, 0, 4, 2, "points close", []int{0}, []string{"0"}},
	} {
		test.size.Sweeps, test.size.Entities, test.size.Precision = true, 9, "float32"
		d := &sweeper{size: test.size, doneAfter: test.doneAfter}
		dir := t.TempDir()
		s, err := runSolver(t, d, config.Output{Dir: dir, Every: test.every, ConservationEvery: test.conservationEvery,
			Format: []string{"vti", "points"}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Join(d.calls, " "); got != test.calls {
			t.Errorf("%s: calls %s\nwant %s", name, got, test.calls)
		}
		if s.Steps != int64(d.swept) || s.Time != 0 || s.Cells != 9 || s.Precision != "float32" ||
			s.StateSHA256 != "f3652e4ce938bb9965f62c3ca4d8f69301a6c85b1e86eac67e291152d3c0e3dd" ||
			s.Metrics["quality"] != float64(d.swept)/2 || len(s.Conservation) != 1 {
			t.Errorf("%s: summary %+v", name, s)
		}
		want := "step,t,dt,quality,moved\n"
		for _, n := range test.table {
			want += fmt.Sprintf("%d,%d,%d,%g,3\n", n, n, min(n, 1), float64(n)/2)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "conservation.csv")); string(got) != want {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, want)
		}
		for i, state := range test.frames {
			file := func(name string) string { return filepath.Join(dir, "frames", fmt.Sprintf(name, i)) }
			grid, err := vtk.ReadImage(file("case_%06d.vti"))
			if err != nil {
				t.Fatal(err)
			}
			points, err := vtk.ReadPolyData(file("case_points_%06d.vtp"))
			if err != nil {
				t.Fatal(err)
			}
			swept, _ := grid.CellData.Find("swept")
			timeValue, _ := grid.FieldData.Find("TimeValue")
			flow, _ := points.CellData.Find("flow")
			if got := fmt.Sprint(swept.Float64s(), timeValue.Float64s(),
				flow.Float64s()); got != fmt.Sprintf("[%s] [%[1]s] [1 %[1]s 0]",
				state) || len(grid.CellData) != 2 || len(points.CellData) != 3 {
				t.Errorf("%s: frame %d has %s, want %s; fields %v %v", name, i, got, state, grid.CellData,
					points.CellData)
			}
		}
		found, err := filepath.Glob(filepath.Join(dir, "*.pvd"))
		if want := []string{filepath.Join(dir, "case.pvd"), filepath.Join(dir,
			"case_points.pvd")}; !reflect.DeepEqual(found,
			want) {
			t.Errorf("%s: got files %v, error %v, want %v", name, found, err, want)
		}
	}
}

func TestErrorsOfSweeps(t *testing.T) {
	d := &sweeper{size: solvers.Size{End: 10, Sweeps: true}, err: errors.New("an inverted cell")}
	_, err := runSolver(t, d, config.Output{Dir: t.TempDir(), ConservationEvery: 3})
	if err == nil || err.Error() != "after 3 sweeps: an inverted cell" || d.calls[len(d.calls)-1] != "close" {
		t.Errorf("%v, calls %v", err, d.calls)
	}
	d = &sweeper{size: solvers.Size{End: 10, Sweeps: true}}
	_, err = runSolver(t, d, config.Output{Dir: t.TempDir()}, config.Gauge{Name: "g"})
	var bad *solvers.BadInput
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "does not support gauges") || len(d.calls) != 1 {
		t.Errorf("%v, calls %v", err, d.calls)
	}
}
