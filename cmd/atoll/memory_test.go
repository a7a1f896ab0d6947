//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/run/summary"
)

const (
	gridCase = "solver = 'vof'\ngrid = { bounds = [0, 0, 1, 1], cells = 300 }\n" +
		"initial = { shape = 'circle(0.5, 0.75, 0.15)' }\n" +
		"velocity = { field = 'rotation', period = 8 }\ntime = { end = 8, max_steps = 2 }\noutput = { format = [] }\n"
	boxCase = "solver = 'vof'\ngrid = { bounds = [0, 0, 0, 1, 1, 1], cells = 48 }\ntime = { end = 3, max_steps = 2 }\n" +
		"initial = { shape = 'sphere(0.35, 0.35, 0.35, 0.15)' }\nvelocity = { field = 'enright', period = 3 }\n" +
		"output = { format = [] }\n"
	triangleCase = "solver = 'shallow-water'\nmesh = { generate = 'rectangle', bounds = [0, 0, 1, 1], cells = 30000 }\n" +
		"physics = { layers = 1 }\ninitial = { depth = 1, h = 'x < 0.5 ? 1.5 : 1' }\noutput = { format = [] }\n" +
		"time = { end = 1, max_steps = 2 }\n"
	smoothCase = "solver = 'smooth'\nmesh = { generate = 'delaunay', bounds = [0, 0, 1, 1], cells = 30000 }\n" +
		"metric = { field = 'uniform' }\nmethod = { sweeps = 2 }\noutput = { format = [] }\n"
)

// programFile is the part of the program's file, in bytes, that an estimate takes to be resident.
const programFile = 48 << 20

// estimatedCases returns cases of all solvers, in two and three dimensions: the text, then overrides.
func estimatedCases() [][]string {
	particles := strings.Replace(boxCase, "'vof'", "'level-set'", 1)
	solid := strings.NewReplacer("delaunay", "box", "[0, 0, 1, 1]", "[0, 0, 0, 1, 1, 1]").Replace(smoothCase)
	return [][]string{
		{gridCase}, {gridCase, "method.normal=elvira"}, {gridCase, "method.precision=float32", "output.fields=['curvature']"},
		{boxCase}, {boxCase, "method.normal=lvira", "method.precision=float32"},
		{particles, "method.sort=1"}, {particles, "method.particles=0"},
		{particles, "method.sort=1", "method.precision=float32", "grid.cells=[40, 48, 56]"},
		{triangleCase}, {triangleCase, "physics.order=1", "physics.manning=0.02", "physics.precision=float32"},
		{smoothCase}, {smoothCase, "method.smoother=pain-exact", "method.precision=float32"}, {solid},
		{strings.Replace(smoothCase, "field = 'uniform'", "width = 0.02, height = 0.01, samples = 1024", 1)},
	}
}

// writingCases returns cases whose frames take much memory, written after each step.
func writingCases() [][]string {
	box := []string{strings.NewReplacer("48", "64", "format = []", "every = 1e-4").Replace(boxCase)}
	water := strings.NewReplacer("30000", "60000", "format = []", "every = 1e-4").Replace(triangleCase)
	mesh := strings.NewReplacer("30000", "90000", "format = []", "every = 1").Replace(smoothCase)
	return [][]string{
		append(box, "output.format=['vti', 'vtp']"),
		append(box, "output.fields=['f', 'normal', 'alpha']", "output.format=['vti']", "output.compress=true"),
		append(box, "output.format=['vdb', 'plic']", "method.precision=float32"),
		{strings.Replace(box[0], "'vof'", "'level-set'", 1), "output.format=['particles', 'vti']", "grid.cells=48"},
		{water, "output.format=['vtu', 'nc']"}, {mesh, "output.format=['vtu']"},
	}
}

var (
	estimateLine = regexp.MustCompile(`(?m)^# memory estimate +about ([0-9.]+ \S+) on this machine, ` +
		`([0-9.]+ \S+) of them`)
	rankEstimateLine = regexp.MustCompile(`(?m)^# memory estimate .*; arrays of ([0-9.]+ \S+) on each rank`)
	memoryLine       = regexp.MustCompile(`(?m)^# memory: ([0-9.]+ \S+) in arrays of all ranks, at most ([0-9.]+ \S+)`)
)

// parseSize parses a size as words.Bytes prints it.
func parseSize(t *testing.T, text string) float64 {
	t.Helper()
	number, unit, _ := strings.Cut(text, " ")
	n, err := strconv.ParseFloat(number, 64)
	size, known := map[string]float64{"bytes": 1, "MiB": 1 << 20, "GiB": 1 << 30}[unit]
	if err != nil || !known {
		t.Fatalf("%q is no size in bytes", text)
	}
	return n * size
}

// waitForPeak waits for a command and returns its peak of anonymous memory in bytes, by polling. Pages of the
// program's file are left out: how many of them are resident depends on the kernel and its page cache.
func (c *command) waitForPeak() (peak int64, err error) {
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		peak = max(peak, memoryOf(c.Process.Pid, "RssAnon:"))
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(time.Millisecond):
		}
	}
}

// TestMemoryIsEstimated: on one rank, the estimate made before any allocation is within 5% of the arrays then
// allocated, in set-up and, with particles, whose sorts allocate arrays in later steps, at the end of the run. The run,
// limited by GOMEMLIMIT to 1.2 times the estimate of all memory, stays below that, whatever part of the program's file
// is resident.
func TestMemoryIsEstimated(t *testing.T) {
	for i, c := range estimatedCases() {
		dir, args := memoryRun(t, c)
		estimated, allocated := estimateOf(t, dir, args, estimateLine)
		sorts := slices.Contains(c, "method.sort=1")
		within := func(allocated float64) {
			if r := parseSize(t, estimated[2]) / allocated; !(r > .95 && r < 1.05) {
				t.Errorf("%q: estimated arrays of %s, allocated %.1f MiB", c[1:], estimated[2], allocated/(1<<20))
			}
		}
		if !sorts {
			within(parseSize(t, allocated[1]))
		}
		if i%3 > 0 && !sorts {
			continue // run only every third of the others: running takes longer than checking
		}
		checkPeak(t, c, dir, args, parseSize(t, estimated[1]), 100)
		if sorts {
			s, err := summary.Read(filepath.Join(dir, "x"))
			if err != nil {
				t.Fatal(err)
			}
			within(float64(s.ArrayBytes))
		}
	}
}

// TestMemoryOfFramesIsEstimated: the estimate of all memory holds, as in TestMemoryIsEstimated, for runs that write
// frames of each format. Their garbage is collected early, since a limit does not count the program's file.
func TestMemoryOfFramesIsEstimated(t *testing.T) {
	for _, c := range writingCases() {
		dir, args := memoryRun(t, c)
		estimated, _ := estimateOf(t, dir, args, estimateLine)
		checkPeak(t, c, dir, args, parseSize(t, estimated[1]), 5)
	}
}

// memoryRun returns a folder with a case, its text and then overrides, and the command line of a run.
func memoryRun(t *testing.T, c []string) (dir string, args []string) {
	t.Helper()
	dir = caseFile(t, c[0])
	args = []string{"run", "case.toml", "--threads", "2"}
	for _, set := range c[1:] {
		args = append(args, "--set", set)
	}
	return dir, args
}

// estimateOf sets up a case with --check, and returns the matches of line, which has the estimate, and of memoryLine in
// what it prints.
func estimateOf(t *testing.T, dir string, args []string, line *regexp.Regexp) (estimated, allocated []string) {
	t.Helper()
	check := atoll(t, dir, nil, append(args, "--check")...)
	if code := check.code(t); code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, check.stderr.String())
	}
	text := check.stdout.String()
	estimated, allocated = line.FindStringSubmatch(text), memoryLine.FindStringSubmatch(text)
	if estimated == nil || allocated == nil {
		t.Fatalf("%q: %s", args, text)
	}
	return estimated, allocated
}

// limitHeap returns the environment of a program with a limit of memory, whose heap grows by a percentage, garbage,
// between collections, which stop the program: beside a slow concurrent collection it would grow by as much as the
// schedule lets it.
func limitHeap(bytes float64, garbage int) []string {
	return []string{fmt.Sprintf("GOMEMLIMIT=%.0f", bytes), fmt.Sprintf("GOGC=%d", garbage), "GODEBUG=gcstoptheworld=1"}
}

// checkPeak runs a case into the folder x, limited to 1.2 times the estimate of its memory, and checks that it needs
// no more.
func checkPeak(t *testing.T, c []string, dir string, args []string, estimated float64, garbage int) {
	t.Helper()
	limit := 1.2 * estimated
	run := atoll(t, dir, limitHeap(limit, garbage), append(args, "--quiet", "--out", "x")...)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	peak, err := run.waitForPeak()
	if err != nil {
		t.Fatalf("%q: %v: %s", c[1:], err, run.stderr.String())
	}
	if float64(peak+programFile) > limit {
		t.Errorf("%q: estimated %.1f MiB, the process used %d MiB beside its file", c[1:], estimated/(1<<20), peak>>20)
	}
}

// TestMemoryOfARankIsEstimated: on several ranks, the estimate for the rank with the largest arrays is within 5%.
func TestMemoryOfARankIsEstimated(t *testing.T) {
	for i, text := range []string{gridCase, triangleCase, smoothCase} {
		args := []string{"run", "case.toml", "--ranks", "3"}
		estimated, allocated := estimateOf(t, caseFile(t, text), args, rankEstimateLine)
		if r := parseSize(t, estimated[1]) / parseSize(t, allocated[2]); !(r > .95 && r < 1.05) {
			t.Errorf("%d: estimated arrays of %s, allocated %s", i, estimated[1], allocated[2])
		}
	}
}

// TestTooLargeCasesAreRefused: a command that needs more memory than GOMEMLIMIT ends with one line of error before
// it allocates arrays, with --check too.
func TestTooLargeCasesAreRefused(t *testing.T) {
	huge := strings.Replace(smoothCase, "30000", "300000000", 1)
	for i, c := range [][]string{
		{boxCase, "run", "case.toml", "--set", "grid.cells=3000"},
		{triangleCase, "run", "case.toml", "--set", "mesh.cells=300000000", "--check"},
		{huge, "run", "case.toml", "--check"},
		{gridCase, "run", "case.toml"},
		{smoothCase, "run", "case.toml", "--ranks", "2"},
		{gridCase, "mesh", "generate", "x.msh", "--cells", "300000000"},
		{boxCase, "bench", "case", "case.toml", "--json", "--set", "grid.cells=3000"},
		{boxCase, "bench", "vof", "--json", "--dim", "3", "--cells", "3000"},
		{boxCase, "bench", "shallow", "--json", "--cells", "300000000"},
		{boxCase, "bench", "scaling", "--cells", "100000000", "--ranks", "4"},
		{boxCase, "bench", "smooth", "--json", "--sizes", "15000"},
		{boxCase, "bench", "levelset", "--cells", "2000"},
		{boxCase, "verify", "levelset", "--only", "ball"},
		{boxCase, "verify", "tsunami", "--resolution", "1000"},
	} {
		dir := caseFile(t, c[0])
		run := atoll(t, dir, limitHeap(50<<20, 50), c[1:]...)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		peak, _ := run.waitForPeak()
		code, stderr := run.ProcessState.ExitCode(), run.stderr.String()
		if code != exitUsage || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "set by GOMEMLIMIT") {
			t.Errorf("%d: exit code %d: %s", i, code, stderr)
		}
		if peak > 30<<20 {
			t.Errorf("%d: the process used %d MiB beside its file", i, peak>>20)
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "out*")); len(found) > 0 {
			t.Errorf("%d: left files %q", i, found)
		}
	}
}
