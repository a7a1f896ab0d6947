package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/internal/process"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/run/study"
	"github.com/atoll-hpc/atoll/solvers"
)

// studyFlags are the flags of atoll study.
type studyFlags struct {
	runFlags
	jobs    int
	metrics []string
}

func studyCommand() *cobra.Command {
	var f studyFlags
	c := &cobra.Command{
		Use:   "study CASE.toml --set key=value,value,…",
		Short: "Run a case for all combinations of values, and compute orders of convergence",
		Long: strings.TrimSpace(`
Run a case once for each combination of the values that --set lists, each in a folder of its own under the folder of
the study. Commas separate values, except within brackets, parentheses and quotes: grid.cells=[64,32],[128,64] are two
values, and "a, b" in quotes is one.
At the end the command writes a table, study.csv with all metrics and study.md as printed. Where the number of cells
varies, it adds the orders of convergence of all error metrics, and their picture, study.png. Runs that are complete are
not repeated, and stopped ones continue: run the same command again, also with longer lists.`),
		Example: "  atoll study examples/vortex.toml --set grid.cells=32,64,128 --set method.normal=youngs,myc\n" +
			"  atoll study case.toml --set 'grid.cells=[64,32],[128,64]' --set method.cfl=0.5,0.25 --out out/cfl",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.study(cmd.Context(), args[0]) },
	}
	p := c.Flags()
	p.StringArrayVar(&f.set, "set", nil, "override a key of the case, or let it take several values: "+
		"key=value,value,…; may be repeated")
	p.StringVar(&f.out, "out", "", "folder of the study (default: output.dir of the case with -study appended)")
	p.IntVarP(&f.jobs, "jobs", "j", 0, "number of concurrent runs; 0 for as many as the cores allow for "+
		"their ranks and threads, one with a GPU")
	p.StringSliceVar(&f.metrics, "metric", nil, "show these metrics (default: those that are errors, or else all)")
	p.IntVarP(&f.ranks, "ranks", "n", 1, "number of ranks of each run")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the runs")
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.BoolVar(&f.force, "force", false, "repeat all runs, and replace their folders")
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but the table and errors")
	return c
}

func (f *studyFlags) study(ctx context.Context, path string) error {
	f.transport, f.halo = launch.Auto, "auto"
	if err := f.validate(true); err != nil {
		return err
	}
	if f.jobs < 0 {
		return usageError{fmt.Errorf("--jobs %d: at least 1, or 0 for as many as the cores allow", f.jobs)}
	}
	env, err := launch.Detect()
	if err != nil {
		return usageError{err}
	}
	if env.Launcher != launch.None {
		return usageError{fmt.Errorf("a study starts its runs by itself: run it once, without %v", env.Launcher)}
	}
	s, err := study.New(path, f.set, f.out, f.force, solvers.Load)
	if err == nil {
		err = s.CheckMetrics(f.metrics)
	}
	if err != nil {
		return badInput(err)
	}
	f.planJobs(s.Remaining())
	failed := s.RunAll(ctx, f.jobs, f.child(path), func(line string) {
		if !f.quiet {
			fmt.Fprintln(os.Stderr, line)
		}
	})
	if ctx.Err() != nil {
		return &stopError{failed, "stopped by a signal" + savedText, exitSaved}
	}
	t, err := s.Table(f.metrics)
	if err != nil {
		return errors.Join(failed, badInput(err))
	}
	files, err := s.Write(t)
	if len(t.Rows) > 0 {
		fmt.Print(t.Markdown())
	}
	if !f.quiet {
		fmt.Fprintln(os.Stderr, "written:", strings.Join(files, ", "))
	}
	return errors.Join(failed, err)
}

// planJobs sets the number of concurrent runs and the threads of each. The memory must suffice for that many runs
// of the largest remaining size.
func (f *studyFlags) planJobs(remaining []*study.Run) {
	cores := runtime.GOMAXPROCS(0)
	if f.jobs == 0 {
		f.jobs = max(1, min(len(remaining), cores/(f.ranks*max(1, f.threads))))
		free, _ := cpu.FreeMemory()
		for _, r := range remaining {
			n, err := estimate.MemoryOf(r.Case, f.ranks, f.ranks, f.backend == "cuda")
			if err == nil && n.Host > 0 { // the run itself reports errors
				f.jobs = max(1, min(f.jobs, int(free/n.Host)))
			}
		}
		if f.backend == "cuda" {
			f.jobs = 1
		}
	}
	if f.threads == 0 {
		f.threads = max(1, cores/(f.jobs*f.ranks))
	}
}

// child returns a function that executes a run as a process, atoll run.
func (f *studyFlags) child(path string) func(ctx context.Context, r *study.Run) error {
	return func(ctx context.Context, r *study.Run) error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		args := []string{"run", path, "--out", r.Dir, "--quiet", "--ranks", strconv.Itoa(f.ranks), "--threads",
			strconv.Itoa(f.threads), "--backend", f.backend}
		for _, set := range r.Sets {
			args = append(args, "--set", set)
		}
		if f.force {
			args = append(args, "--force")
		}
		c := exec.CommandContext(ctx, self, args...)
		var output bytes.Buffer
		c.Stdout, c.Stderr = &output, &output
		c.Cancel = func() error { return c.Process.Signal(process.EndSignals[0]) }
		c.WaitDelay = run.Drain
		if err := c.Run(); err != nil {
			text := strings.TrimPrefix(strings.TrimSpace(output.String()), "atoll: ")
			return errors.New(cmp.Or(text, err.Error()))
		}
		return nil
	}
}
