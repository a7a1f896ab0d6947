package swarm

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/syntax"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/internal/process"
	"github.com/atoll-hpc/atoll/kernelgen/lanes"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// longest is how long a leg may take: one that hangs is a failure.
const longest = 2 * time.Minute

// watch ends the process, with the stacks of all goroutines, if a leg hangs where no context is looked at. It returns a
// function that ends the watch.
func (g *leg) watch() (stop func() bool) {
	const more = 30 * time.Second
	return time.AfterFunc(longest+more, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("%s=%v: a leg does not end: %+v", envSeed, flag.Lookup("rapid.seed").Value, *g))
	}).Stop
}

// execute makes a run in a folder, and returns what it wrote.
func (c *testCase) execute(t testing.TB, dir, name string, r schedule) (outcome, error) {
	out := filepath.Join(dir, name)
	parsed, err := c.parse(dir, r.Sets...)
	if err != nil {
		return nil, err
	}
	for n := range r.Legs {
		s, err := r.Legs[n].run(t, parsed, out, n > 0)
		var stopped *run.Stopped
		switch {
		case err == nil:
			return outcomeOf(out, parsed, s, alone(r.Legs))
		case errors.As(err, &stopped) && n+1 < len(r.Legs):
		default:
			if r.Legs[n].Device == "cuda" {
				gpus.drop()
			}
			return nil, err
		}
	}
	return nil, errors.New("the last leg was stopped")
}

// alone reports whether all legs have one rank.
func alone(legs []leg) bool {
	for _, g := range legs {
		if g.Ranks > 1 {
			return false
		}
	}
	return true
}

// open connects the ranks of a leg.
func (g *leg) open(t testing.TB) []dist.Comm {
	switch g.Transport {
	case "delayed":
		return local.New(g.Ranks, local.Delay(uint64(g.Ranks), 50*time.Microsecond))
	case "grpc":
		return runtest.GRPC(t, g.Ranks)
	}
	return local.New(g.Ranks)
}

// run runs a leg, and returns the summary of rank 0 and the errors of all ranks.
func (g *leg) run(t testing.TB, c *config.Case, dir string, restart bool) (*summary.Summary, error) {
	set := lanes.Off
	if g.Vectors {
		set = lanes.Best()
	}
	defer lanes.Use(lanes.Use(set))
	if g.Device == "cuda" {
		if err := gpus.prepare(g.Ranks); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	defer g.watch()()
	results, errs := make([]*summary.Summary, g.Ranks), make([]error, g.Ranks)
	orders := g.orders() // of rank 0
	var wg sync.WaitGroup
	for rank, comm := range g.open(t) {
		wg.Go(func() {
			errs[rank] = process.Guard(func() error {
				dev, err := g.openDevice(comm)
				if err != nil {
					return err
				}
				defer dev.Close()
				results[rank], err = run.Run(ctx, run.Options{Case: c, Comm: comm, Device: dev, Halo: g.Halo, Dir: dir,
					Restart: restart, Polls: orders, Watched: true})
				return err
			})
			if !expected(errs[rank]) {
				comm.Abort(1, errs[rank])
			}
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("a leg took longer than %v: %w", longest, errors.Join(errs...))
	}
	for _, err := range errs {
		if !expected(err) {
			return nil, err
		}
	}
	return results[0], errs[0]
}

// expected reports whether an error is nil, or one that all ranks return: of the input, or since they were stopped.
func expected(err error) bool {
	var bad *solvers.BadInput
	var stopped *run.Stopped
	return err == nil || errors.As(err, &bad) || errors.As(err, &stopped)
}

// refused reports whether an error says that a run is impossible as configured, before it started.
func refused(err error) bool {
	var bad *solvers.BadInput
	return errors.As(err, &bad) || err != nil && (strings.Contains(err.Error(), "unavailable") ||
		strings.Contains(err.Error(), "choose another halo"))
}

// counts are the numbers of runs by their outcome.
type counts struct {
	cases, refusedCases, failedCases, runs, refusedRuns int

	reasons map[string]int // how often cases and runs were refused or failed, by error without its numbers
}

// note notes the reason for which a run was refused or failed.
func (n *counts) note(err error) {
	if n.reasons == nil {
		n.reasons = map[string]int{}
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	n.reasons[numbers.ReplaceAllString(text, "N")]++
}

var numbers = regexp.MustCompile(`[0-9][-+.e0-9]*`)

func (n counts) String() string {
	return fmt.Sprintf("%d cases (%d refused, %d with a state that becomes invalid), %d other runs (%d refused)", n.cases,
		n.refusedCases, n.failedCases, n.runs, n.refusedRuns)
}

// check runs all of a case and returns the first difference, as an error that ends with what it says of the run.
func (c *testCase) check(t testing.TB, n *counts) error {
	dir, err := os.MkdirTemp(scratch(), "swarm")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := c.writeFiles(dir); err != nil {
		return err
	}
	reference := c.reference(t)
	n.cases++
	want, err := c.execute(t, dir, "reference", reference)
	invalid := ""
	switch {
	case refused(err):
		n.refusedCases++
		n.note(err)
		return nil
	case err != nil && strings.Contains(err.Error(), "internal error"):
		return fmt.Errorf("reference: %w", err)
	case err != nil:
		n.failedCases++
		n.note(err)
		invalid = err.Error()
	}
	for k := range c.Runs {
		n.runs++
		got, err := c.execute(t, dir, fmt.Sprint("run", k), c.Runs[k])
		if refused(err) {
			c.Runs[k].simplify()
			got, err = c.execute(t, dir, fmt.Sprint("run", k, " simplified"), c.Runs[k])
		}
		switch {
		case refused(err):
			n.refusedRuns++
			n.note(err)
		case invalid != "" && err == nil && !strings.Contains(invalid, "/frames/"):
			return &failure{k, fmt.Errorf("it ends well, but the reference fails: %s", invalid)}
		case invalid != "":
		case err != nil && strings.Contains(err.Error(), "a float32 cannot hold"): // NaN in OpenVDB
			n.refusedRuns++
			n.note(err)
		case err != nil:
			return &failure{k, err}
		default:
			if err := got.compare(want); err != nil {
				return &failure{k, err}
			}
		}
	}
	return nil
}

// simplify makes a run possible that the solver has refused: on few ranks, which a small case needs, and with ghosts
// and blocks as the solver chooses them.
func (r *schedule) simplify() {
	r.Sets = slices.DeleteFunc(r.Sets, func(set string) bool {
		key, _, _ := syntax.CutSet(set)
		return key == "grid.blocks" || key == "method.exchange" || key == "method.sweep"
	})
	for n := range r.Legs {
		r.Legs[n].Ranks, r.Legs[n].Halo = (r.Legs[n].Ranks+1)/2, ""
	}
}

// failure is the error of a run.
type failure struct {
	run int
	err error
}

func (f *failure) Error() string { return fmt.Sprintf("run %d: %v", f.run+1, f.err) }
func (f *failure) Unwrap() error { return f.err }

// scratch returns the folder for runs: in memory if possible, since each run writes hundreds of files.
func scratch() string {
	const memory = "/dev/shm"
	if probe, err := os.MkdirTemp(memory, "swarm"); err == nil {
		_ = os.Remove(probe)
		return memory
	}
	return ""
}

// writeFiles writes the case and its files.
func (c *testCase) writeFiles(dir string) error {
	for name, data := range c.Files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	parsed, err := c.parse(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(c.path(dir), []byte(parsed.String()), 0o666)
}
