package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/backend/cuda"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/summary"
)

// runFlags are the flags of atoll run.
type runFlags struct {
	ranks, threads     int
	transport, backend string
	set                []string
	out, summary       string
	check, quiet       bool
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run CASE.toml",
		Short: "Run a case",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0])
		},
	}
	p := c.Flags()
	p.IntVarP(&f.ranks, "ranks", "n", 1, "number of ranks")
	p.StringVar(&f.transport, "transport", "local", "how ranks talk: local (goroutines of this process) or grpc (a process each)")
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.StringArrayVar(&f.set, "set", nil, "override a key of the case, as in --set physics.scheme=roe; may be repeated")
	p.StringVar(&f.out, "out", "", "folder of all output (default: output.dir of the case)")
	p.StringVar(&f.summary, "summary", "", "file for the summary in JSON (default: summary.json in the output folder)")
	p.BoolVar(&f.check, "check", false, "read, check and set up everything, print the effective case, and stop")
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	return c
}

func (f *runFlags) validate() error {
	switch {
	case f.ranks < 1:
		return usageError{fmt.Errorf("--ranks %d: at least 1", f.ranks)}
	case f.threads < 0:
		return usageError{fmt.Errorf("--threads %d: at least 1, or 0 for a share of the cores", f.threads)}
	case f.transport == "mpi":
		return usageError{errors.New("--transport mpi: this program was built without MPI")}
	case f.transport != "local" && f.transport != "grpc":
		return usageError{fmt.Errorf("--transport %q is not known; choose local or grpc", f.transport)}
	case f.backend != "cpu" && f.backend != "cuda":
		return usageError{fmt.Errorf("--backend %q is not known; choose cpu or cuda", f.backend)}
	}
	return nil
}

func (f *runFlags) run(ctx context.Context, path string) error {
	if err := f.validate(); err != nil {
		return err
	}
	place, err := launch.Detect()
	if err != nil {
		return usageError{err}
	}
	switch place.Launcher {
	case launch.None, launch.Atoll:
	default:
		return usageError{fmt.Errorf("%s: this program has no MPI and would run %d independent copies of the case; "+
			"use atoll run --ranks %d --transport grpc on one machine", place, place.Size, place.Size)}
	}
	c, err := config.Load(path, f.set)
	if err != nil {
		return badInput(err)
	}
	if place.Launcher == launch.Atoll {
		return f.child(ctx, c, place)
	}
	if f.check {
		fmt.Print(c.String())
	}
	if f.transport == "grpc" {
		return f.processes(ctx, path)
	}
	return f.goroutines(ctx, c)
}

// perRank is how many threads a rank gets.
func (f *runFlags) perRank() int {
	if f.threads > 0 {
		return f.threads
	}
	return max(1, runtime.GOMAXPROCS(0)/f.ranks)
}

// goroutines runs all ranks in this process.
func (f *runFlags) goroutines(ctx context.Context, c *config.Case) error {
	comms := local.New(f.ranks)
	var result *summary.Summary
	g, ctx := errgroup.WithContext(ctx)
	for rank, comm := range comms {
		g.Go(func() error {
			s, err := f.rank(ctx, c, comm, f.perRank())
			if rank == 0 {
				result = s
			}
			return errors.Join(err, comm.Close())
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return f.report(c, result)
}

// processes starts a process for each rank, which come back here as children.
func (f *runFlags) processes(ctx context.Context, path string) error {
	args := []string{"run", path, "--ranks", strconv.Itoa(f.ranks), "--transport", "grpc", "--backend", f.backend, "--threads", strconv.Itoa(f.perRank())}
	for _, s := range f.set {
		args = append(args, "--set", s)
	}
	for flag, value := range map[string]string{"--out": f.out, "--summary": f.summary} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	if f.check {
		args = append(args, "--check")
	}
	if f.quiet {
		args = append(args, "--quiet")
	}
	return launch.Local(ctx, launch.LocalConfig{
		Ranks: f.ranks, Args: args, Threads: f.perRank(), Stdout: os.Stdout, Stderr: os.Stderr,
	})
}

// child is one rank of a run that processes started.
func (f *runFlags) child(ctx context.Context, c *config.Case, place launch.Place) error {
	if f.backend == "cpu" {
		useProcessors(place)
	}
	meet, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	comm, err := grpc.Join(meet, grpc.Config{
		Rank: place.Rank, Size: place.Size, Coordinator: place.Coordinator, BuildID: buildID(), CaseHash: c.Hash(),
	})
	if err != nil {
		return err
	}
	s, err := f.rank(ctx, c, comm, place.Threads)
	if err := errors.Join(err, comm.Close()); err != nil {
		return err
	}
	if place.Rank != 0 {
		return nil
	}
	return f.report(c, s)
}

// rank runs one rank of the case.
func (f *runFlags) rank(ctx context.Context, c *config.Case, comm dist.Comm, threads int) (*summary.Summary, error) {
	dev, err := f.device(comm.Rank(), threads)
	if err != nil {
		return nil, badInput(err)
	}
	defer dev.Close()
	o := run.Options{Case: c, Comm: comm, Device: dev, Transport: f.transport, Dir: f.out, Check: f.check}
	if comm.Rank() == 0 {
		o.Progress = progress.For(os.Stdout, f.quiet)
	}
	return run.Run(ctx, o)
}

// device opens what the kernels of a rank run on.
func (f *runFlags) device(rank, threads int) (backend.Device, error) {
	if f.backend == "cuda" {
		return cuda.Open(cuda.Options{LocalRank: rank})
	}
	return cpu.New(threads), nil
}

// report prints and writes the summary of a run that has ended well.
func (f *runFlags) report(c *config.Case, s *summary.Summary) error {
	if f.check || s == nil {
		return nil
	}
	path := f.summary
	if path == "" {
		dir := f.out
		if dir == "" {
			dir = c.Output.Dir
		}
		path = filepath.Join(dir, "summary.json")
	}
	if err := s.Write(path); err != nil {
		return err
	}
	var w io.Writer = os.Stdout
	if f.quiet {
		w = io.Discard
	}
	_, err := fmt.Fprint(w, s.Text())
	return err
}

// buildID names this build: ranks of different builds must not meet.
func buildID() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	id := info.GoVersion + " " + info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision", "vcs.modified", "GOARCH", "GOAMD64", "-tags":
			id += " " + s.Key + "=" + s.Value
		}
	}
	return id
}
