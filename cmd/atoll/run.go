package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/mpi"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/drive"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// runFlags are the flags of atoll run.
type runFlags struct {
	ranks, threads     int
	transport, backend string
	halo               string
	set                []string
	out, summary       string
	check, quiet       bool
	logRanks, force    bool
	restart            bool
	timeLimit          time.Duration
	drive              string // unix socket of the driver; "" for none
	serveFlags
	superviseFlags
	connectFlags

	// replayed is the interval of an earlier run to recompute; nil for an ordinary run.
	replayed *run.Replay
	session  *drive.Session // with the driver; nil without one
	// onOutcome is called with the result instead of writing a summary; nil to write one.
	onOutcome func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run CASE.toml",
		Short: "Run a case",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0], cmd.Flags().Changed("ranks"))
		},
	}
	p := c.Flags()
	p.IntVarP(&f.ranks, "ranks", "n", 0, "number of ranks (default: as many as the launcher has started, 1 without one)")
	p.StringVar(&f.transport, "transport", launch.Auto,
		"how ranks communicate: local (goroutines of this process), grpc (a process each), mpi (started by mpirun or "+
			"srun), or auto")
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.StringVar(&f.halo, "halo", "auto", "how GPUs exchange ghosts: p2p (from each other's memory, on one "+
		"machine), nccl (by NCCL), staged (through the host), or auto, the first of these that is possible")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.StringArrayVar(&f.set, "set", nil, "override a key of the case, as in --set physics.scheme=roe; may be repeated")
	p.StringVar(&f.out, "out", "", "folder of all output (default: output.dir of the case)")
	p.BoolVar(&f.force, "force", false, "replace the results of another case in the output folder")
	p.BoolVar(&f.restart, "restart", false,
		"continue from the latest complete checkpoint in the output folder, and fail if "+
			"there is none (without it, a stopped or killed run continues too, unless --force restarts it)")
	p.DurationVar(&f.timeLimit, "time-limit", 0, "limit of the wall time, as in 2h30m: save the state shortly before it "+
		"and exit with code 75; 0 for no limit")
	p.StringVar(&f.drive, "drive", "", "unix socket of a program that drives the run: it orders steps, reads fields and "+
		"sets them, as atoll.Bmi in Python does (docs/python.md)")
	p.StringVar(&f.summary, "summary", "",
		"file for the summary in JSON (default: summary.json in the output folder); with --check, for the estimate "+
			"of memory and time")
	p.BoolVar(&f.check, "check", false, "read, check and set up everything, print the effective case, and stop")
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	p.BoolVar(&f.logRanks, "log-ranks", false, "print the lines of all ranks, each with its rank before it")
	f.serveFlags.register(p)
	f.superviseFlags.register(p)
	f.connectFlags.register(p)
	return c
}

// Limits for one machine. With more, it would run out of memory before it could report an error.
const (
	maxRanks   = members.MaxRanks
	maxThreads = 1 << 14 // of all ranks
)

// checkLimits returns an error if this machine is to have more ranks or threads than the limits.
func checkLimits(ranks, threads int) error {
	if ranks > maxRanks {
		return usageError{fmt.Errorf("--ranks %d: at most %d on one machine", ranks, maxRanks)}
	}
	if threads > maxThreads/max(ranks, 1) {
		return usageError{fmt.Errorf("--threads %d: at most %d on one machine, of all ranks together", threads, maxThreads)}
	}
	return nil
}

func (f *runFlags) validate(ranksGiven bool) error {
	switch {
	case ranksGiven && f.ranks < 1:
		return usageError{fmt.Errorf("--ranks %d: at least 1", f.ranks)}
	case f.threads < 0:
		return usageError{fmt.Errorf("--threads %d: at least 1, or 0 for a share of the cores", f.threads)}
	case f.backend != "cpu" && f.backend != "cuda":
		return usageError{fmt.Errorf("--backend %q is not known; choose cpu or cuda", f.backend)}
	case f.halo != "auto" && f.halo != "staged" && f.halo != "p2p" && f.halo != "nccl":
		return usageError{fmt.Errorf("--halo %q is not known; choose auto, staged, p2p or nccl", f.halo)}
	case f.restart && f.force:
		return usageError{errors.New("--restart continues the run in the output folder, --force replaces it: leave one out")}
	case f.drive != "" && f.check:
		return usageError{errors.New("--drive and --check: leave one out")}
	case f.timeLimit < 0:
		return usageError{fmt.Errorf("--time-limit %v: at least 0", f.timeLimit)}
	case f.halo != "auto" && f.backend != "cuda":
		return usageError{fmt.Errorf("--halo %s is for --backend cuda", f.halo)}
	}
	if err := cmp.Or(f.serveFlags.validate(), f.superviseFlags.validate()); err != nil {
		return err
	}
	return checkLimits(1, f.threads) // the ranks may be on many machines
}

func (f *runFlags) run(ctx context.Context, path string, ranksGiven bool) error {
	if err := f.validate(ranksGiven); err != nil {
		return err
	}
	if err := f.connectFlags.validate(); err != nil {
		return err
	}
	if f.listenSupervisors != "" {
		if pod, err := members.FindPod(); err != nil || pod != nil {
			if err != nil {
				return err
			}
			return f.pod(ctx, path, pod)
		}
	}
	env, err := launch.Detect()
	if err != nil {
		return usageError{err}
	}
	r := rank{runFlags: f, env: env}
	if f.transport, r.reason, err = launch.Choose(env, f.transport, mpi.Built); err != nil {
		return r.failure(usageError{err})
	}
	if f.drive != "" && (env.Launcher != launch.None || f.transport != launch.InProcess) {
		return usageError{errors.New("--drive needs ranks in one process: use --transport local")}
	}
	if env.Launcher != launch.None || f.transport == launch.MPI {
		return r.failure(r.process(ctx, path))
	}
	f.ranks = max(f.ranks, 1)
	if err := checkLimits(f.ranks, f.threads); err != nil {
		return err
	}
	text, err := readCase(path, false)
	if err != nil {
		return badInput(err)
	}
	c, err := f.load(path, text, 0)
	if err != nil {
		return err
	}
	if f.transport == launch.GRPC {
		if err := giveCase(text); err != nil {
			return err
		}
		return f.supervisedProcesses(ctx, path, c)
	}
	return f.continuable(c, r.goroutines(ctx, c))
}

// continuable marks the error of a run that would continue from a checkpoint if the same command were given again.
func (f *runFlags) continuable(c *config.Case, err error) error {
	if err == nil || c == nil || f.check || f.force || f.replayed != nil || !run.Continues(c, f.out) {
		return err
	}
	return &continuable{err}
}

// load decodes the text of a case file. On rank 0 it creates the folder of the summary and checks that the summary can
// be written, so that a long run does not fail at its end.
func (f *runFlags) load(path string, text []byte, rank int) (*config.Case, error) {
	c, err := solvers.Parse(path, text, f.set)
	if err == nil && rank == 0 && f.summary != "" {
		if err = os.MkdirAll(filepath.Dir(f.summary), 0o777); err == nil {
			err = atomicfile.CheckWritable(f.summary)
		}
		if err != nil {
			err = fmt.Errorf("--summary: %w", err)
		}
	}
	return c, badInput(err)
}

// report prints the summary of a complete run.
func (f *runFlags) report(s *summary.Summary) error {
	if f.check || s == nil || f.onOutcome != nil {
		return nil
	}
	var w io.Writer = stdout
	if f.quiet {
		w = io.Discard
	}
	_, err := fmt.Fprint(w, s.Text())
	return err
}
