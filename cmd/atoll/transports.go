package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/dist/mpi"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/run/summary"
)

// transportFlags are the options of atoll bench transports.
type transportFlags struct {
	transport string
	ranks     int
	options   bench.TransportOptions
	connectFlags
}

func benchTransportsCommand() *cobra.Command {
	var f transportFlags
	c := &cobra.Command{
		Use:   "transports",
		Short: "Latency and bandwidth of messages between two ranks, one way and two way, and of reductions",
		Long: "Latency and bandwidth of messages between two ranks, one way and two way, and of reductions over all.\n" +
			"It starts its ranks itself, or runs as one rank under a launcher:\n" +
			"atoll launch local -n 2 -- atoll bench transports",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	p := c.Flags()
	p.StringVar(&f.transport, "transport", "local", "how ranks communicate: local (goroutines of this process), grpc (a "+
		"process each), or mpi (under mpirun)")
	p.IntVarP(&f.ranks, "ranks", "n", 2, "number of ranks")
	p.IntSliceVar(&f.options.Sizes, "sizes", []int{64, 512, 4 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20},
		"bytes of the messages")
	p.Float64Var(&f.options.Seconds, "seconds", 1, "length of each measurement")
	f.connectFlags.register(p)
	return c
}

func (f *transportFlags) run(ctx context.Context) error {
	for _, n := range f.options.Sizes {
		if n < 0 || n > 1<<30 {
			return usageError{fmt.Errorf("--sizes: a message of %d bytes: want 0 to %d", n, 1<<30)}
		}
	}
	if err := f.connectFlags.validate(); err != nil {
		return err
	}
	if f.ranks < 2 {
		return usageError{fmt.Errorf("--ranks %d: at least 2 are needed", f.ranks)}
	}
	env, err := launch.Detect()
	if err != nil {
		return usageError{err}
	}
	switch {
	case env.Launcher == launch.Atoll:
		return f.rankProcess(ctx, env)
	case env.Launcher != launch.None || f.transport == launch.MPI:
		c, err := joinMPI(ctx, env, summary.BuildID()+fmt.Sprint(f.options), f.silence, notifier(env))
		if err != nil {
			return err
		}
		if c.Size() < 2 {
			return errors.Join(usageError{errors.New("MPI with one rank: start 2 with mpirun -np 2")}, c.Close())
		}
		return f.rank(ctx, c, mpi.Version())
	case f.transport == "local":
		return f.goroutines(ctx)
	case f.transport == "grpc":
		if err := ensureToken(); err != nil {
			return err
		}
		return launch.Local(ctx, launch.LocalConfig{Ranks: f.ranks, Args: f.args(), Stdout: os.Stdout, Stderr: os.Stderr})
	}
	return usageError{fmt.Errorf("--transport %q is not known; choose local, grpc or mpi", f.transport)}
}

// args returns the arguments of a rank process for the same measurement.
func (f *transportFlags) args() []string {
	args := []string{"bench", "transports", "--seconds", strconv.FormatFloat(f.options.Seconds, 'g', -1, 64)}
	args = append(args, f.connectFlags.args()...)
	for _, n := range f.options.Sizes {
		args = append(args, "--sizes", strconv.Itoa(n))
	}
	return args
}

func (f *transportFlags) goroutines(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, c := range local.New(f.ranks) {
		g.Go(func() error { return f.rank(ctx, c, "local") })
	}
	return g.Wait()
}

func (f *transportFlags) rankProcess(ctx context.Context, env launch.Environment) error {
	useProcessors(env.Threads)
	cfg, err := f.joinConfig(env, fmt.Sprint(f.options), notifier(env))
	if err != nil {
		return err
	}
	_, limit := f.waits(env.Size)
	joinCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c, err := grpc.Join(joinCtx, cfg)
	if err != nil {
		return err
	}
	return f.rank(ctx, c, "grpc, "+env.Coordinator)
}

func (f *transportFlags) rank(ctx context.Context, c dist.Comm, transport string) error {
	if c.Rank() == 0 {
		h := summary.ThisHost()
		fmt.Printf("atoll %s, %s, %s, %d cores; %d ranks, %s\n", summary.Version(), h.Go, h.CPU, h.Cores, c.Size(), transport)
	}
	return errors.Join(bench.Transport(ctx, os.Stdout, c, f.options), c.Close())
}
