package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/watch"

	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem"
	_ "github.com/atoll-hpc/atoll/solvers/twophase/problem"
)

// output is a case that writes all kinds of output that its solver has, on all kinds of schedules.
type output struct {
	text   string             // MEASURED stands for a file of measurements
	files  []string           // some of those that the run writes
	frames float64            // interval
	tables map[string]float64 // interval of each, 0 for each step or some
}

var outputs = map[string]output{
	"flood": {frames: .11, files: []string{"conservation.csv", "case.nc", "case.pvd", "frames/case_000003.vtu",
		"gauges.nc", "gauges/line-4.csv", "gauges/measured.csv", "measured/measured.csv", "transects/each step.csv",
		"transects.nc", "raster/h.tif", "outlines.geojson"},
		tables: map[string]float64{"gauges/each step.csv": 0, "transects/each step.csv": 0, "gauges/one.csv": .1,
			"gauges/line-1.csv": .1, "gauges/line-4.csv": .1, "gauges/other.csv": .07, "gauges/measured.csv": .13,
			"transects/one.csv": .1, "conservation.csv": 0}, text: `
solver = "shallow-water"
[mesh]
generate = "rectangle"
bounds = [0, 0, 10, 4]
cells = 400
[physics]
layers = 1
[initial]
depth = "2"
h = "x < 4 ? 1.9 : 1"
[maxima]
[time]
end = 1.2
[output]
every = 0.11
format = ["vtu", "nc"]
fields = ["h", "u", "v"]
raster = 0.5
conservation_every = 4
[[gauge]]
name = "each step"
at = [5, 2]
[[gauge]]
name = "one"
at = [3, 1]
every = 0.1
[[gauge]]
name = "line"
line = [[1, 1], [9, 3]]
points = 4
every = 0.1
[[gauge]]
name = "other"
at = [7, 3]
every = 0.07
[[gauge]]
name = "measured"
at = [8, 1]
every = 0.13
measured = "MEASURED"
[[transect]]
name = "each step"
line = [[5, 0], [5, 4]]
[[transect]]
name = "one"
line = [[6, 0], [6, 4]]
every = 0.1
[checkpoint]
steps = 9
keep = 1000
`},
	"drops": {frames: .11, files: []string{"conservation.csv", "case.pvd", "frames/case_000003.vti", "drops.csv",
		"bubbles.csv", "gauges/each step.csv"},
		tables: map[string]float64{"drops.csv": .07, "bubbles.csv": 0, "conservation.csv": 0, "gauges/each step.csv": 0},
		text: `
solver = "two-phase"
[grid]
bounds = [0, 0, 1, 2]
cells = [16, 32]
[fluids]
density = [100, 1000]
viscosity = [1, 10]
surface_tension = 24.5
gravity = [0, -0.98]
[initial]
shape = "circle(0.5, 0.5, 0.25)"
[drops]
every = 0.07
[bubbles]
[time]
end = 1.2
[output]
every = 0.11
format = ["vti"]
conservation_every = 4
[[gauge]]
name = "each step"
at = [0.5, 0.8]
[checkpoint]
steps = 3
keep = 1000
`},
}

// parse parses the case of an output, and writes its file of measurements.
func (o *output) parse(t *testing.T) *config.Case {
	t.Helper()
	measured := filepath.Join(t.TempDir(), "measured.csv")
	if err := os.WriteFile(measured, []byte("t,h\n0,1\n0.3,1.2\n0.6,1.1\n1.1,1.05\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return runtest.Parse(t, strings.ReplaceAll(o.text, "MEASURED", measured))
}

// carryOut runs the case on two ranks into a folder. From the given step on it is ordered to stop; 0 for never.
func carryOut(t *testing.T, c *config.Case, dir string, stopAt int, replayed *run.Replay) error {
	t.Helper()
	const ranks = 2
	errs := make([]error, ranks)
	var wait sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		wait.Go(func() {
			dev := cpu.New(1)
			defer dev.Close()
			polls := func(steps int) run.Orders {
				return run.Orders{Stop: stopAt > 0 && steps >= stopAt, View: watch.WantPicture, Steps: 3}
			}
			_, errs[rank] = run.Run(context.Background(), run.Options{Case: c, Comm: comm, Device: dev, Dir: dir, Polls: polls,
				Watched: true, Replay: replayed, Force: replayed != nil})
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// contents returns the output of a run, by file: all but checkpoints and what has times of the machine.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".ckpt" || filepath.Ext(path) == ".json" || path == ".lock" {
			return err
		}
		files[path], err = os.ReadFile(filepath.Join(dir, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestRecordersContinue stops a run with every kind of output at a random step, several times, and continues it: all
// files have the bytes of the run that was not disturbed.
func TestRecordersContinue(t *testing.T) {
	for name, o := range outputs {
		t.Run(name, o.continues)
	}
}

func (o *output) continues(t *testing.T) {
	c, whole := o.parse(t), t.TempDir()
	if err := carryOut(t, c, whole, 0, nil); err != nil {
		t.Fatal(err)
	}
	want := contents(t, whole)
	for _, name := range o.files {
		if want[filepath.FromSlash(name)] == nil {
			t.Fatalf("the run has not written %s", name)
		}
	}
	rng := rand.New(rand.NewPCG(44, 1))
	for range 3 {
		dir, stops := t.TempDir(), []int{}
		for at := 1 + rng.IntN(20); ; at += 1 + rng.IntN(20) {
			err := carryOut(t, c, dir, at, nil)
			if err == nil {
				break
			}
			if stops = append(stops, at); !errors.As(err, new(*run.Stopped)) {
				t.Fatalf("stopped at %v: %v", stops, err)
			}
		}
		got := contents(t, dir)
		for name := range want {
			if !bytes.Equal(got[name], want[name]) {
				t.Errorf("stopped at %v: %s differs from that of the run that was not disturbed", stops, name)
			}
		}
		if len(got) != len(want) || len(stops) == 0 {
			t.Errorf("stopped at %v: %d files, want %d", stops, len(got), len(want))
		}
	}
}

// TestRecordersReplay replays a run from random times: each table has exactly the rows that were due from that time on,
// and each frame has the bytes of that of the run.
func TestRecordersReplay(t *testing.T) {
	for name, o := range outputs {
		t.Run(name, o.replays)
	}
}

func (o *output) replays(t *testing.T) {
	c, whole := o.parse(t), t.TempDir()
	if err := carryOut(t, c, whole, 0, nil); err != nil {
		t.Fatal(err)
	}
	rows, end := contents(t, whole), c.Time.End
	rng := rand.New(rand.NewPCG(44, 2))
	for range 4 {
		from, dir := .95*end*rng.Float64(), t.TempDir()
		checkpoint, err := run.NearestCheckpoint(whole, from)
		if err != nil {
			t.Fatal(err)
		}
		if err := carryOut(t, c, dir, 0, &run.Replay{Checkpoint: checkpoint, From: from, Until: math.Inf(1)}); err != nil {
			t.Fatal(err)
		}
		for name, every := range o.tables {
			got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			if want := dueFrom(t, rows[filepath.FromSlash(name)], from, every); string(got) != want {
				t.Errorf("replayed from %v: %s has\n%swant\n%s", from, name, got, want)
			}
		}
		replayed, err := vtk.ReadPVD(filepath.Join(dir, "case.pvd"))
		if err != nil {
			t.Fatal(err)
		}
		all, err := vtk.ReadPVD(filepath.Join(whole, "case.pvd"))
		if err != nil {
			t.Fatal(err)
		}
		first := 0
		for first < len(all)-1 && all[first].Time < math.Ceil(from/o.frames)*o.frames {
			first++
		}
		if len(replayed) != len(all)-first {
			t.Fatalf("replayed from %v: %d frames, want %d", from, len(replayed), len(all)-first)
		}
		for k, f := range replayed {
			got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.File)))
			if want := rows[filepath.FromSlash(all[first+k].File)]; err != nil || !bytes.Equal(got, want) {
				t.Errorf("replayed from %v: frame %d differs from that at t = %v: %v", from, k, all[first+k].Time, err)
			}
		}
	}
}

// dueFrom returns the header of a table and the rows that are due from a time on.
func dueFrom(t *testing.T, table []byte, from, every float64) string {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimSuffix(string(table), "\n"), "\n")
	column := 0
	if strings.HasPrefix(lines[0], "step,") {
		column = 1
	}
	text, least := lines[0], from
	if every > 0 {
		least = math.Ceil(from/every) * every
	}
	for _, line := range lines[1:] {
		at, err := strconv.ParseFloat(strings.Split(strings.TrimSpace(line), ",")[column], 64)
		if err != nil {
			t.Fatal(fmt.Errorf("%q: %w", line, err))
		}
		if at >= least {
			text += line
		}
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}
