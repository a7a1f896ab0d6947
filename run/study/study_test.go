package study

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// toy is a solver whose error converges with a given order.
type toy struct {
	grid  config.Grid
	order float64
}

func (t *toy) Print(p *config.Printer) {
	t.grid.Print(p)
	p.Section("[method]")
	p.Pair("order", t.order)
}

func init() {
	solvers.Register(solvers.Kind{Name: "toy", Decode: func(root *config.Section, c *config.Case) {
		t := &toy{grid: config.DecodeGrid(root.Sub("grid"))}
		method := root.Sub("method")
		t.order = method.Number("order", config.Positive)
		method.Finish()
		c.Sections = t
		c.DecodeTransient(root, t.grid.Dim, config.Outputs{Fields: []string{"q"}, Default: []string{"q"},
			Formats: []string{"vti"}})
	}, Quantities: []solvers.Quantity{{Name: "mass", Outputs: solvers.Metric},
		{Name: "off", Outputs: solvers.Metric, Error: true}}})
}

const toyCase = "solver = 'toy'\n[grid]\nbounds = [0, 0, 2, 1]\ncells = 4\n[method]\norder = 2\n[time]\nend = 1\n"

func load(path string, sets []string) (*config.Case, error) {
	return solvers.Parse(path, []byte(toyCase), sets)
}

// runToy writes the files of a run into its folder.
func runToy(_ context.Context, r *Run) error {
	f, err := folder.Claim(r.Dir, folder.Info{Case: "toy", CaseSHA256: r.Case.Hash()}, folder.Fresh)
	if err != nil {
		return err
	}
	t := r.Case.Sections.(*toy)
	e := 1.0
	for range int(t.order) {
		e /= float64(t.grid.Cells[0])
	}
	s := &summary.Summary{CaseSHA256: r.Case.Hash(), Dim: 2, Cells: int64(t.grid.Cells[0] * t.grid.Cells[1]),
		Metrics: map[string]float64{"off": e, "mass": 1}}
	return errors.Join(s.Write(filepath.Join(r.Dir, "summary.json")), f.SetState(folder.Done), f.Close())
}

func newStudy(t *testing.T, dir string, sets ...string) *Study {
	t.Helper()
	s, err := New("toy.toml", sets, dir, false, load)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAxes(t *testing.T) {
	fixed, axes, err := ParseAxes([]string{"grid.cells=32, 64,128", "time.end=2", "initial.shape=circle(0.5, 0.5, 0.3)",
		"grid.periodic=[], ['x', 'y']", `title="a, b"`, "method.normal=youngs,myc"})
	want := []Axis{{"grid.cells", []string{"32", "64", "128"}}, {"grid.periodic", []string{"[]", "['x', 'y']"}},
		{"method.normal", []string{"youngs", "myc"}}}
	if err != nil || !reflect.DeepEqual(axes, want) || len(fixed) != 3 {
		t.Errorf("got fixed %q, axes %q, error %v, want axes %q", fixed, axes, err, want)
	}
	for text, wrong := range map[string]string{"a": "write key=value", "a=1": "several values", "a=1,,2": "value 2",
		"a=1,2,1": "1 is given twice"} {
		if _, _, err := ParseAxes([]string{text}); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: got error %v, want %q", text, err, wrong)
		}
	}
}

// TestStudy checks that all combinations are run, each in its folder, with the orders of the errors, and that runs that
// are done are not repeated, also when lists get longer.
func TestStudy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	var runs atomic.Int32
	count := func(ctx context.Context, r *Run) error { runs.Add(1); return runToy(ctx, r) }
	quiet := func(string) {}
	s := newStudy(t, dir, "grid.cells=8,16", "method.order=1,2")
	if err := s.RunAll(t.Context(), 3, count, quiet); err != nil || runs.Load() != 4 {
		t.Fatalf("%d runs, %v", runs.Load(), err)
	}
	s = newStudy(t, dir, "grid.cells=32,16,8", "method.order=1,2")
	if err := s.RunAll(t.Context(), 1, count, quiet); err != nil || runs.Load() != 6 {
		t.Fatalf("%d runs, %v", runs.Load(), err)
	}
	table, err := s.Table(nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `| grid.cells | method.order | cells | steps | wall (s) |       off | order |
| ---------: | -----------: | ----: | ----: | -------: | --------: | ----: |
|          8 |            1 |    64 |     0 |        0 |     0.125 |       |
|         16 |            1 |   256 |     0 |        0 |    0.0625 |  1.00 |
|         32 |            1 |  1024 |     0 |        0 |   0.03125 |  1.00 |
|          8 |            2 |    64 |     0 |        0 |   0.01562 |       |
|         16 |            2 |   256 |     0 |        0 |  0.003906 |  2.00 |
|         32 |            2 |  1024 |     0 |        0 | 0.0009766 |  2.00 |
`
	if got := table.Markdown(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	files, err := s.Write(table)
	if err != nil || len(files) != 3 {
		t.Errorf("got files %q, error %v, want 3", files, err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, CSVFile))
	if lines := strings.Split(string(rows), "\n"); err != nil || len(lines) != 8 ||
		!strings.HasPrefix(lines[0], "grid.cells,method.order,run,cells,steps,time,wall_s,off,mass,off_order,") ||
		!strings.HasPrefix(lines[2], "16,1,cells=16_order=1,256,0,0,0,0.0625,1,1,") {
		t.Errorf("error %v, CSV\n%s", err, rows)
	}
	if table, err := s.Table([]string{"mass"}); err != nil || !strings.Contains(table.Markdown(), "mass |\n") {
		t.Errorf("error %v, or the table does not end with metric mass", err)
	}
}

// TestAxisOfOneDirection checks orders if the lists of cells differ along only one direction.
func TestAxisOfOneDirection(t *testing.T) {
	s := newStudy(t, filepath.Join(t.TempDir(), "s"), "grid.cells=[8, 4],[16, 4]")
	if err := s.RunAll(t.Context(), 2, runToy, func(string) {}); err != nil {
		t.Fatal(err)
	}
	table, err := s.Table(nil)
	if err != nil || len(table.Rows) != 2 || table.Rows[1].Orders["off"] != 2 || table.Rows[1].Name != "cells=16x4" {
		t.Errorf("error %v, table %+v, want two rows of order 2", err, table)
	}
}

// TestStudyRefuses checks the errors that are found before the first run.
func TestStudyRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	if err := newStudy(t, dir, "grid.cells=8,16").RunAll(t.Context(), 1, runToy, func(string) {}); err != nil {
		t.Fatal(err)
	}
	for want, sets := range map[string][]string{
		"cells=many":                         {"grid.cells=8,many"},
		"are the same case":                  {"time.end=1,1.0"},
		"more than 1000 runs":                {"grid.cells=" + numbers(40), "method.order=" + numbers(40)},
		"has the results of another case":    {"grid.cells=8,32", "method.order=3"},
		"has a list of values already":       {"grid.cells=8,32", "grid.cells=16,64"},
		"--set method.order=1,: value 2 of ": {"method.order=1,"},
	} {
		if _, err := New("toy.toml", sets, dir, false, load); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	s := newStudy(t, dir, "grid.cells=8,16")
	if err := s.CheckMetrics([]string{"of"}); err == nil || !strings.Contains(err.Error(), "choose mass or off") {
		t.Error(err)
	}
	if err := s.CheckMetrics([]string{"off", "mass2_from_sea"}); err != nil {
		t.Error(err)
	}
}

func numbers(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(i+1))
	}
	return strings.Join(list, ",")
}

// TestFailedRunDoesNotStopOthers checks that a failure is logged and returned, and that the table has the other runs.
func TestFailedRunDoesNotStopOthers(t *testing.T) {
	s := newStudy(t, filepath.Join(t.TempDir(), "s"), "grid.cells=8,16,32")
	var lines []string
	err := s.RunAll(t.Context(), 1, func(ctx context.Context, r *Run) error {
		if r.Values[0] == "16" {
			return errors.New("out of luck")
		}
		return runToy(ctx, r)
	}, func(line string) { lines = append(lines, line) })
	if err == nil || err.Error() != "cells=16: out of luck" || !slices.Contains(lines, "cells=16: out of luck") {
		t.Errorf("got error %v and lines %q, want the failure of cells=16 in both", err, lines)
	}
	if table, err := s.Table(nil); err != nil || len(table.Rows) != 2 {
		t.Errorf("error %v, table %+v, want two rows", err, table)
	}
}

// TestNamesOfFolders checks that characters that are invalid in names are replaced such that no two values share a
// name.
func TestNamesOfFolders(t *testing.T) {
	for text, want := range map[string]string{"cells=[64, 32]": "cells=64x32", "cfl=1e-3": "cfl=1e-3",
		"shape=circle(0, 0, 1)": "shape=circle-0x0x1--", "a=../b": "a=..-b-"} {
		got := folderName(text)
		if suffix, ok := strings.CutPrefix(got, want); !ok || suffix != "" && len(suffix) != 6 {
			t.Errorf("folderName(%q) = %q, want %q with at most 6 digits", text, got, want)
		}
	}
	if folderName("q=x*y") == folderName("q=x/y") || len(folderName(strings.Repeat("x", 500))) > 130 {
		t.Error("two values have the same name, or a name is too long")
	}
}
