//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	ofGrid = "solver = 'vof'\ngrid = { bounds = [0, 0, 1, 1], cells = 300 }\n" +
		"initial = { shape = 'circle(0.5, 0.75, 0.15)' }\n" +
		"velocity = { field = 'rotation', period = 8 }\ntime = { end = 8, max_steps = 2 }\noutput = { format = [] }\n"
	ofSpace = "solver = 'vof'\ngrid = { bounds = [0, 0, 0, 1, 1, 1], cells = 48 }\ntime = { end = 3, max_steps = 2 }\n" +
		"initial = { shape = 'sphere(0.35, 0.35, 0.35, 0.15)' }\nvelocity = { field = 'enright', period = 3 }\n" +
		"output = { format = [] }\n"
	ofTriangles = "solver = 'shallow-water'\nmesh = { generate = 'rectangle', bounds = [0, 0, 1, 1], cells = 30000 }\n" +
		"physics = { layers = 1 }\ninitial = { depth = 1, h = 'x < 0.5 ? 1.5 : 1' }\noutput = { format = [] }\n" +
		"time = { end = 1, max_steps = 2 }\n"
	ofMesh = "solver = 'smooth'\nmesh = { generate = 'delaunay', bounds = [0, 0, 1, 1], cells = 30000 }\n" +
		"metric = { field = 'uniform' }\nmethod = { sweeps = 2 }\noutput = { format = [] }\n"
)

// estimatedCases are cases of all solvers, in the plane and in space: the text, and overrides.
func estimatedCases() [][]string {
	particles := strings.Replace(ofSpace, "'vof'", "'level-set'", 1)
	solid := strings.NewReplacer("delaunay", "box", "[0, 0, 1, 1]", "[0, 0, 0, 1, 1, 1]").Replace(ofMesh)
	return [][]string{
		{ofGrid}, {ofGrid, "method.normal=elvira"}, {ofGrid, "method.precision=float32", "output.fields=['curvature']"},
		{ofSpace}, {ofSpace, "method.normal=lvira", "method.precision=float32"},
		{particles}, {particles, "method.particles=0"}, {particles, "method.precision=float32", "grid.cells=[40, 48, 56]"},
		{ofTriangles}, {ofTriangles, "physics.order=1", "physics.manning=0.02", "physics.precision=float32"},
		{ofMesh}, {ofMesh, "method.smoother=pain-exact", "method.precision=float32"}, {solid},
		{strings.Replace(ofMesh, "field = 'uniform'", "width = 0.02, height = 0.01, samples = 1024", 1)},
	}
}

var (
	estimateLine = regexp.MustCompile(`(?m)^# memory estimate +about ([0-9.]+ \S+) on this machine, ([0-9.]+ \S+) of them`)
	estimateMany = regexp.MustCompile(`(?m)^# memory estimate .*; arrays of ([0-9.]+ \S+) on a rank`)
	takenLine    = regexp.MustCompile(`(?m)^# memory: ([0-9.]+ \S+) in arrays of all ranks, ([0-9.]+ \S+) on a rank`)
)

// amount reads what words.Bytes prints.
func amount(t *testing.T, text string) float64 {
	t.Helper()
	of, unit, _ := strings.Cut(text, " ")
	n, err := strconv.ParseFloat(of, 64)
	size, known := map[string]float64{"bytes": 1, "MiB": 1 << 20, "GiB": 1 << 30}[unit]
	if err != nil || !known {
		t.Fatalf("%q is no amount", text)
	}
	return n * size
}

// peak waits for a command and returns the most memory in bytes that it had at once. What the system tells of it after
// its end counts what the process had before it became the command, which is all that this one has.
func (c *command) peak() (most int64, err error) {
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		most = max(most, memoryOf(c.Process.Pid, "VmHWM:"))
		select {
		case err := <-ended:
			return most, err
		case <-time.After(time.Millisecond):
		}
	}
}

// TestMemoryIsEstimated: what is told before anything is made is within 5% of the arrays that are then made, on one
// rank, and the run keeps within 1.2 times what was told of all memory, which is as much as it is let have.
func TestMemoryIsEstimated(t *testing.T) {
	for i, c := range estimatedCases() {
		dir := caseFile(t, c[0])
		args := []string{"run", "case.toml", "--threads", "2"}
		for _, set := range c[1:] {
			args = append(args, "--set", set)
		}
		check := atoll(t, dir, nil, append(args, "--check")...)
		if code := check.code(t); code != 0 {
			t.Fatalf("%d: exit code %d: %s", i, code, check.stderr.String())
		}
		told, taken := estimateLine.FindStringSubmatch(check.stdout.String()),
			takenLine.FindStringSubmatch(check.stdout.String())
		if told == nil || taken == nil {
			t.Fatalf("%d: %s", i, check.stdout.String())
		}
		if r := amount(t, told[2]) / amount(t, taken[1]); !(r > .95 && r < 1.05) {
			t.Errorf("%q: arrays of %s were estimated, and there are %s", c[1:], told[2], taken[1])
		}
		if i%3 > 0 {
			continue // what comes now takes longer
		}
		all := 1.2 * amount(t, told[1])
		run := atoll(t, dir, []string{fmt.Sprintf("GOMEMLIMIT=%.0f", all)}, append(args, "--quiet", "--out", "x")...)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		most, err := run.peak()
		if err != nil {
			t.Fatalf("%d: %v: %s", i, err, run.stderr.String())
		}
		if float64(most) > all {
			t.Errorf("%q: %s were estimated, and the process had %d MiB", c[1:], told[1], most>>20)
		}
	}
}

// TestMemoryOfARankIsEstimated: of the fullest of several.
func TestMemoryOfARankIsEstimated(t *testing.T) {
	for i, text := range []string{ofGrid, ofTriangles, ofMesh} {
		check := atoll(t, caseFile(t, text), nil, "run", "case.toml", "--check", "--ranks", "3")
		if code := check.code(t); code != 0 {
			t.Fatalf("%d: exit code %d: %s", i, code, check.stderr.String())
		}
		told, taken := estimateMany.FindStringSubmatch(check.stdout.String()),
			takenLine.FindStringSubmatch(check.stdout.String())
		if told == nil || taken == nil {
			t.Fatalf("%d: %s", i, check.stdout.String())
		}
		if r := amount(t, told[1]) / amount(t, taken[2]); !(r > .95 && r < 1.05) {
			t.Errorf("%d: arrays of %s were estimated, and there are %s", i, told[1], taken[2])
		}
	}
}

// TestWhatIsTooLargeIsRefused: in one line, with the numbers, before anything is made, with --check too.
func TestWhatIsTooLargeIsRefused(t *testing.T) {
	huge := strings.Replace(ofMesh, "30000", "300000000", 1)
	for i, c := range [][]string{
		{ofSpace, "run", "case.toml", "--set", "grid.cells=3000"},
		{ofTriangles, "run", "case.toml", "--set", "mesh.cells=300000000", "--check"},
		{huge, "run", "case.toml", "--check"},
		{ofGrid, "run", "case.toml"},
		{ofMesh, "run", "case.toml", "--ranks", "2"},
		{ofGrid, "mesh", "generate", "x.msh", "--cells", "300000000"},
		{ofSpace, "bench", "case", "case.toml", "--json", "--set", "grid.cells=3000"},
		{ofSpace, "bench", "vof", "--json", "--dim", "3", "--cells", "3000"},
		{ofSpace, "bench", "shallow", "--json", "--cells", "300000000"},
		{ofSpace, "bench", "scaling", "--cells", "100000000", "--ranks", "4"},
		{ofSpace, "bench", "smooth", "--json", "--sizes", "15000"},
		{ofSpace, "bench", "levelset", "--cells", "2000"},
		{ofSpace, "verify", "levelset", "--only", "ball"},
		{ofSpace, "verify", "tsunami", "--resolution", "1000"},
	} {
		dir := caseFile(t, c[0])
		run := atoll(t, dir, []string{"GOMEMLIMIT=50MiB"}, c[1:]...)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		most, _ := run.peak()
		code, said := run.ProcessState.ExitCode(), run.stderr.String()
		if code != exitUsage || strings.Count(said, "\n") != 1 || !strings.Contains(said, "GOMEMLIMIT allows") {
			t.Errorf("%d: exit code %d: %s", i, code, said)
		}
		if most > 80<<20 {
			t.Errorf("%d: the process had %d MiB", i, most>>20)
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "out*")); len(found) > 0 {
			t.Errorf("%d: it left %q", i, found)
		}
	}
}
