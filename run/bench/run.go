package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

func init() {
	Register(Benchmark{Name: "run", New: wholeRuns, Args: []string{"CASE.toml..."},
		Short: "Complete runs with all output, compared with steps alone: loop, set-up, first step, memory"})
}

// userRuns runs cases in new processes of this program, as a user would.
type userRuns struct {
	program   string
	backend   string
	sets      []string
	ranks     int
	extraArgs []string // further arguments of each run
	env       []string // environment of the next run
	dir       string
}

// begin finds the program and the backend.
func (u *userRuns) begin(m *Machine) (err error) {
	u.backend = "cpu"
	if m.GPU {
		u.backend = "cuda"
	}
	u.program, err = os.Executable()
	return err
}

func wholeRuns(p *pflag.FlagSet) func(ctx context.Context, m *Machine) error {
	var u userRuns
	p.StringArrayVar(&u.sets, "set", nil, "override a key of each case, as in --set time.end=10; may be repeated")
	p.IntVar(&u.ranks, "ranks", 1, "number of ranks")
	return func(ctx context.Context, m *Machine) (err error) {
		if err := u.begin(m); err != nil {
			return err
		}
		m.PrintHeader(false)
		const row = "%-24s %9s %6s %9s %9s %6s %9s %6s %7s %7s %9s %9s %8s %8s\n"
		fmt.Fprintf(m.Out, row, "", "cells", "steps", "loop", "silent", "of it", "bare", "of it", "set-up", "output",
			"1st step", "again", "host", "device")
		fmt.Fprintf(m.Out, row, "case", "", "", "ms/step", "ms/step", "%", "ms/step", "%", "s", "s", "s", "s", "MB", "MB")
		for _, path := range m.Args {
			if u.dir, err = os.MkdirTemp("", "atoll-bench-"); err != nil {
				return err
			}
			line, err := u.measure(ctx, path)
			if err = errors.Join(err, os.RemoveAll(u.dir)); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			fmt.Fprintln(m.Out, line)
		}
		return nil
	}
}

// silent are the settings of a run without frames, and with rows of the table at its start and end alone.
var silent = []string{"--set", "output.format=[]", "--set", "output.conservation_every=1000000000"}

// measure runs a case twice, first without cached kernels, and once without output, and then measures its first steps
// alone. Column "silent" is the time of a step without output, "bare" that of one of the first steps, and "of it" the
// share of each in a step of the complete run: in some cases later steps take longer than the first ones. "again" is
// the first step of the second run.
func (u *userRuns) measure(ctx context.Context, path string) (line string, err error) {
	first, _, err := u.run(ctx, path)
	if err != nil {
		return "", err
	}
	second, host, err := u.run(ctx, path)
	if err != nil {
		return "", err
	}
	quiet, _, err := u.run(ctx, path, silent...)
	if err != nil {
		return "", err
	}
	steps := float64(max(1, second.Steps))
	loop, alone := min(first.Wall, second.Wall)/steps, quiet.Wall/steps
	bare, share := "-", "-"
	step, err := u.bareStep(ctx, path, int(second.Steps))
	if err != nil {
		return "", err
	}
	if step > 0 {
		bare, share = fmt.Sprintf("%.4f", 1e3*step), fmt.Sprintf("%.0f", 100*step/loop)
	}
	return fmt.Sprintf("%-24s %9d %6d %9.4f %9.4f %6.0f %9s %6s %7.3f %7.3f %9.3f %9.3f %8.0f %8.0f",
		filepath.Base(path), second.Cells, second.Steps, 1e3*loop, 1e3*alone, 100*alone/loop, bare, share,
		second.Phases["setup"],
		second.Phases["output"], first.Phases["first_step"], second.Phases["first_step"], float64(host)/1e6,
		float64(second.DeviceBytes)/1e6), nil
}

// command returns a command of this program. Compiled kernels are cached in a folder that is empty at first.
func (u *userRuns) command(ctx context.Context, args ...string) *exec.Cmd {
	args = append(args, "--backend", u.backend)
	for _, set := range u.sets {
		args = append(args, "--set", set)
	}
	c := exec.CommandContext(ctx, u.program, args...)
	c.Env = append(os.Environ(), "CUDA_CACHE_PATH="+filepath.Join(u.dir, "cache"))
	c.Env = append(c.Env, u.env...)
	return c
}

// run runs a case. host is the peak memory of the process in bytes, 0 if unknown.
func (u *userRuns) run(ctx context.Context, path string, extra ...string) (s summary.Summary, host int64, err error) {
	file := filepath.Join(u.dir, "summary.json")
	args := append([]string{"run", path, "--quiet", "--force", "--out", filepath.Join(u.dir, "out"), "--summary", file,
		fmt.Sprint("--ranks=", u.ranks)}, u.extraArgs...)
	c := u.command(ctx, append(args, extra...)...)
	if text, err := c.CombinedOutput(); err != nil {
		return s, 0, fmt.Errorf("%w\n%s", err, text)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return s, 0, err
	}
	return s, peakMemory(c.ProcessState), json.Unmarshal(text, &s)
}

// bareStep returns the time per step without output, in s, of a case with the given number of steps; 0 if these are too
// few to measure.
func (u *userRuns) bareStep(ctx context.Context, path string, steps int) (float64, error) {
	const repeat, minSteps, maxSteps = 3, 2, 480
	warm := min(24, steps/4)
	stepsEach := min(maxSteps, (steps-warm)/(repeat+1))
	if stepsEach < minSteps {
		return 0, nil
	}
	threads := max(1, runtime.GOMAXPROCS(0)/u.ranks) // as atoll run shares the cores among the ranks
	c := u.command(ctx, "bench", "case", path, "--json", fmt.Sprint("--warm=", warm), fmt.Sprint("--steps=", stepsEach),
		fmt.Sprint("--repeat=", repeat), fmt.Sprint("--ranks=", u.ranks), fmt.Sprint("--threads=", threads))
	var stderr strings.Builder
	c.Stderr = &stderr
	text, err := c.Output()
	if err != nil {
		return 0, &solvers.BadInput{Err: fmt.Errorf("%w\n%s", err, stderr.String())}
	}
	best := math.Inf(1)
	for line := range bytes.Lines(text) {
		var t Timing
		if err := json.Unmarshal(line, &t); err != nil {
			return 0, fmt.Errorf("%w in %s", err, line)
		}
		best = min(best, t.Wall/float64(stepsEach))
	}
	return best, nil
}
