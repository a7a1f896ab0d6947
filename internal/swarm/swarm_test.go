package swarm

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/backend/cuda"

	"github.com/atoll-hpc/atoll/solvers/common/balance"

	// the solvers
	_ "github.com/atoll-hpc/atoll/solvers/levelset/problem"
	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/problem"
	_ "github.com/atoll-hpc/atoll/solvers/twophase/problem"
	_ "github.com/atoll-hpc/atoll/solvers/vof/problem"
)

// Variables of the environment, which also a test binary on another machine reads.
const (
	envSize    = "ATOLL_SWARM"         // number of cases, or a duration such as 10m
	envSeed    = "ATOLL_SWARM_SEED"    // of the first case; the next has the next seed. By default it is new each time
	envBackend = "ATOLL_SWARM_BACKEND" // cuda: most runs are on GPUs
	envSolver  = "ATOLL_SWARM_SOLVER"  // only cases whose kind contains this
	envFile    = "ATOLL_SWARM_FILE"    // a file case.json that a failure has written: only this case runs
	envReasons = "ATOLL_SWARM_REASONS" // not empty: print why cases and runs were refused
	envOut     = "ATOLL_SWARM_OUT"     // folder for cases that fail; swarm-failures
)

// short is the size without envSize.
const short = "2s"

// limits restrict what is drawn.
type limits struct {
	gpus   int // number of GPUs; 0 for none
	solver string
}

// only returns the names that contain the solver's.
func (l limits) only(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !strings.Contains(name, l.solver) })
}

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil { // the seed is enough
		panic(err)
	}
	balance.Eager = true
	os.Exit(m.Run())
}

// TestSwarm runs random cases, each with several schedules. See CONTRIBUTING.md.
func TestSwarm(t *testing.T) {
	l := limits{solver: os.Getenv(envSolver)}
	if os.Getenv(envBackend) == "cuda" {
		found, err := cuda.Devices()
		if err != nil {
			t.Fatal(err)
		}
		l.gpus = len(found)
		defer gpus.drop()
	}
	if file := os.Getenv(envFile); file != "" {
		repeat(t, file)
		return
	}
	size := os.Getenv(envSize)
	if size == "" {
		size = short
	}
	most, err := strconv.Atoi(size)
	end := time.Now().Add(24 * time.Hour)
	if err != nil {
		duration, err := time.ParseDuration(size)
		if err != nil {
			t.Fatalf("%s=%s is neither a number of cases nor a duration", envSize, size)
		}
		most, end = 1<<40, time.Now().Add(duration)
	}
	seed := uint64(time.Now().UnixNano())%1e9 + 1
	if text := os.Getenv(envSeed); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil || seed == 0 {
			t.Fatalf("%s=%s is not a positive integer", envSeed, text)
		}
	}
	fmt.Printf("swarm: %s of cases from %s=%d on\n", size, envSeed, seed)
	var n counts
	begin, told := time.Now(), time.Now()
	for k := 0; k < most && time.Now().Before(end) && !t.Failed(); k++ {
		oneCase(t, seed, l, &n)
		seed++
		if time.Since(told) > time.Minute {
			told = time.Now()
			fmt.Printf("swarm: %v so far\n", n)
		}
	}
	fmt.Printf("swarm: %v in %v\n", n, time.Since(begin).Round(time.Second))
	if os.Getenv(envReasons) != "" {
		for _, reason := range slices.Sorted(maps.Keys(n.reasons)) {
			fmt.Printf("%5d times: %s\n", n.reasons[reason], reason)
		}
	}
	if n.cases > 20 && (2*n.refusedCases > n.cases || 2*n.refusedRuns > n.runs) {
		t.Error("most cases or runs are refused: the swarm proves little")
	}
}

// oneCase draws the case of a seed and runs it. A case that fails is shrunk, printed and saved.
func oneCase(t *testing.T, seed uint64, l limits, n *counts) {
	checks := "1"
	if testing.Short() { // of which rapid makes a fifth
		checks = "5"
	}
	for name, value := range map[string]string{"rapid.seed": fmt.Sprint(seed), "rapid.checks": checks} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	q := &quiet{TB: t}
	defer q.cleanUp()
	var last *testCase
	var reason error
	defer func() {
		if last != nil {
			report(t, last, seed, reason)
		}
	}()
	counted := false // not again while the case is shrunk
	rapid.Check(q, func(rt *rapid.T) {
		c, scrap := drawCase(rt, l), counts{}
		to := n
		if counted {
			to = &scrap
		}
		counted = true
		if err := c.check(q, to); err != nil {
			last, reason = c, err
			rt.Fatalf("%s", kindOf(err))
		}
	})
}

// quiet is a test that does not print what rapid draws, which the case shows, and cleans up after each case.
type quiet struct {
	testing.TB
	cleanups []func()
}

func (*quiet) Logf(string, ...any) {}
func (*quiet) Log(...any)          {}

func (q *quiet) Cleanup(f func()) { q.cleanups = append(q.cleanups, f) }

func (q *quiet) cleanUp() {
	for _, f := range slices.Backward(q.cleanups) {
		f()
	}
}

// kindOf is what failures have in common while a case is shrunk: it must not become another one.
func kindOf(err error) string {
	if strings.Contains(err.Error(), "in the reference") {
		return "a difference"
	}
	return "an error"
}

// report prints and saves a case that fails.
func report(t *testing.T, c *testCase, seed uint64, reason error) {
	out := os.Getenv(envOut)
	if out == "" {
		out = "swarm-failures"
	}
	dir, err := filepath.Abs(filepath.Join(out, fmt.Sprint(seed)))
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = c.writeFiles(dir)
	}
	file := filepath.Join(dir, "case.json")
	if err == nil {
		var text []byte
		if text, err = json.MarshalIndent(c, "", "  "); err == nil {
			err = os.WriteFile(file, text, 0o666)
		}
	}
	if err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(c.path(dir))
	if err != nil {
		t.Error(err)
	}
	t.Logf("%s=%d: %v\n\n%s\n", envSeed, seed, reason, text)
	for k, r := range c.Runs {
		for n, g := range r.Legs {
			t.Logf("run %d, leg %d: %+v", k+1, n+1, g)
		}
	}
	commands := strings.Join(c.commands(dir, reason), "\n")
	t.Logf("the case is %s; again, exactly:\n%s=%s go test ./internal/swarm -run TestSwarm\n"+
		"or, without the polls and restarts above:\n%s", c.path(dir), envFile, file, commands)
}

// commands returns the commands that make the reference and the run that differs, without polls and stops.
func (c *testCase) commands(dir string, reason error) []string {
	lines := []string{command(c.path(dir), "reference", c.reference(failureOf{}))}
	var f *failure
	if errors.As(reason, &f) {
		lines = append(lines, command(c.path(dir), fmt.Sprint("run", f.run+1), c.Runs[f.run]))
	}
	return lines
}

type failureOf struct{}

func (failureOf) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// command returns the command that makes the first leg of a run.
func command(path, name string, r schedule) string {
	g := r.Legs[0]
	words := []string{"atoll run", path, "--out out/" + name, fmt.Sprint("--ranks ", g.Ranks)}
	if g.Transport == "grpc" {
		words = append(words, "--transport grpc")
	}
	if g.Device == "cuda" {
		words = append(words, "--backend cuda")
		if g.Halo != "" {
			words = append(words, "--halo "+g.Halo)
		}
	} else {
		words = append(words, fmt.Sprint("--threads ", g.Threads))
	}
	for _, set := range r.Sets {
		words = append(words, fmt.Sprintf("--set %q", set))
	}
	return strings.Join(words, " ")
}

// TestFoundCases runs cases in which the swarm has found a difference once: with [adapt], extremes lacked the state
// before the mesh changed unless output had asked for them, and cfl_max differed where steps are queued.
func TestFoundCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { repeat(t, file) })
	}
}

// repeat runs the case of a file.
func repeat(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c testCase
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	var n counts
	if err := c.check(t, &n); err != nil {
		t.Error(err)
	}
	t.Log(n)
}
