package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/backend/cuda"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/internal/process"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/drive"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/watch"
)

// rank is one rank of atoll run, or all ranks if they are goroutines of this process.
type rank struct {
	*runFlags
	env    launch.Environment
	reason string // for the choice of the transport
	lines  sync.Mutex
}

// goroutines runs all ranks in this process.
func (r *rank) goroutines(ctx context.Context, c *config.Case) error {
	comms := local.New(r.ranks)
	var result *summary.Summary
	if r.drive != "" {
		session, err := drive.Open(r.drive)
		if err != nil {
			return err
		}
		defer session.Close()
		r.session = session
	}
	g, ctx := errgroup.WithContext(ctx)
	for rank, comm := range comms {
		g.Go(func() error {
			return process.Guard(func() error {
				s, err := r.run(ctx, c, comm)
				if rank == 0 {
					result = s
				}
				return errors.Join(err, comm.Close())
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return r.report(result)
}

// process runs the one rank of this process.
func (r *rank) process(ctx context.Context, path string) error {
	if err := r.checkRanks(); err != nil {
		return err
	}
	var c *config.Case
	text, bad := readCase(path, r.env.Epoch > 0)
	if bad = badInput(bad); bad == nil {
		c, bad = r.load(path, text, r.env.Rank)
	}
	hash := "" // ranks agree below on what is wrong with a case
	if bad == nil {
		hash = c.Hash()
	}
	comm, leave, err := r.join(ctx, hash)
	if err != nil {
		return r.continuable(c, err)
	}
	err = r.agree(ctx, comm, c, bad)
	var s *summary.Summary
	if err == nil {
		s, err = r.run(ctx, c, comm)
	}
	err = errors.Join(err, comm.Close(), leave())
	if r.env.Epoch == 0 { // otherwise the supervisor decides
		err = r.continuable(c, err)
	}
	if err != nil || r.env.Rank != 0 {
		return err
	}
	return r.report(s)
}

// checkRanks refuses another number of ranks than the launcher has started.
func (r *rank) checkRanks() error {
	switch {
	case r.ranks == 0 || r.ranks == r.env.Size:
		return nil
	case r.env.Launcher == launch.None:
		return usageError{fmt.Errorf("--ranks %d with MPI: start it with mpirun -n %d atoll …", r.ranks, r.ranks)}
	}
	return usageError{fmt.Errorf("--ranks %d, but %v has started %d: leave --ranks out", r.ranks, r.env.Launcher,
		r.env.Size)}
}

// join connects to the other ranks. Call leave after the communicator has been closed.
func (r *rank) join(ctx context.Context, caseHash string) (comm dist.Comm, leave func() error, err error) {
	if r.transport == launch.MPI {
		comm, err := joinMPI(ctx, r.env, summary.BuildID(), r.silence, notifier(r.env))
		return comm, func() error { return nil }, err
	}
	if leave, err = launch.OpenSockets(r.env); err != nil {
		return nil, nil, err
	}
	cfg, err := r.joinConfig(r.env, caseHash, notifier(r.env))
	if err == nil {
		_, limit := r.waits(r.env.Size)
		joinCtx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		comm, err = grpc.Join(joinCtx, cfg)
	}
	if err != nil {
		return nil, nil, errors.Join(err, leave())
	}
	return comm, leave, nil
}

// notifier prints lines about the connections of a rank.
func notifier(p launch.Environment) func(line string) {
	prefix := ""
	if p.Launcher != launch.Atoll && p.Launcher != launch.None {
		prefix = fmt.Sprintf("[rank %d] ", p.Rank)
	}
	beat := p.Heartbeat()
	return func(line string) {
		if beat != nil { // waiting for other ranks is progress: --join limits it
			beat()
		}
		fmt.Fprintln(stderr, prefix+"atoll:", line)
	}
}

// run runs the case on one rank.
func (r *rank) run(ctx context.Context, c *config.Case, comm dist.Comm) (*summary.Summary, error) {
	threads := r.threads
	if threads == 0 {
		threads = r.env.Threads
	}
	share, err := launch.Divide(ctx, comm, threads)
	if err != nil {
		return nil, err
	}
	if r.backend == "cpu" && r.transport == launch.GRPC {
		useProcessors(share.Threads)
	}
	dev, err := r.device(share.LocalRank, share.Threads, share.Warning != "")
	if err := firstError(ctx, comm, err); err != nil {
		if dev != nil {
			dev.Close()
		}
		return nil, err
	}
	defer dev.Close()
	o := run.Options{Case: c, Comm: comm, Device: dev, Transport: r.transport, Halo: r.halo, Dir: r.out,
		Force: r.force, Restart: r.restart, TimeLimit: r.timeLimit, Summary: r.summary, Check: r.check,
		Epoch: r.env.Epoch, FirstEpoch: r.env.FirstEpoch, Heartbeat: r.env.Heartbeat(), Replay: r.replayed,
		Report: r.onOutcome, Replaced: endReplaced, ProcessStart: processStart, Drive: r.session}
	if r.backend == "cpu" {
		o.Crowding = share.Crowding
		if o.LocalRanks = share.LocalSize; cpu.MemoryIsOfGroup() {
			o.LocalRanks = share.GroupSize
		}
	}
	if o.Watch, err = r.watch(ctx, comm); err != nil {
		return nil, err
	}
	o.Watched = r.serve != "" && !r.check
	if comm.Rank() == 0 {
		o.Warn = stderr
		r.announce(c, comm.Size(), share)
		if o.Progress = progress.For(os.Stdout, r.quiet); !r.quiet {
			o.Progress.Out = stdout
		}
	} else if r.logRanks {
		log := r.log(comm.Rank())
		fmt.Fprintf(log, "on %s, cores %s, threads %d, local rank %d of %d\n", share.Host, share.CPUs, share.Threads,
			share.LocalRank, share.LocalSize)
		o.Progress = progress.Options{Out: log}
	}
	return run.Run(ctx, o)
}

// device opens the device of a rank. crowded says that a machine of the run has more threads than processors. A missing
// GPU is bad input.
func (f *runFlags) device(localRank, threads int, crowded bool) (backend.Device, error) {
	switch {
	case f.backend == "cuda":
	case crowded:
		return cpu.NewCrowded(threads), nil
	default:
		return cpu.New(threads), nil
	}
	gpu, err := cuda.Open(cuda.Options{LocalRank: localRank})
	if err != nil {
		return nil, badInput(err) // not gpu: an interface with a nil pointer is not nil
	}
	return gpu, nil
}

// useProcessors limits Go to as many processors as the rank has threads. With more, goroutines of the transport
// keep waking idle processors, which takes time from other ranks and moves messages between caches.
func useProcessors(threads int) {
	if threads > 0 {
		runtime.GOMAXPROCS(threads)
	}
}

// announce prints what was detected: launcher, ranks, threads, machines and transport.
func (r *rank) announce(c *config.Case, ranks int, share launch.Share) {
	if share.Warning != "" {
		fmt.Fprintln(stderr, "atoll: warning:", share.Warning)
	}
	if r.check {
		fmt.Fprint(stdout, c.String()) // nothing else, so that the output is a valid case file
		return
	}
	if summary.FusesMultiplyAdd() {
		fmt.Fprintln(stderr, "atoll: warning: this binary fuses multiplications and additions, so that its results differ "+
			"in the last bits from those of releases and make build: install it with GOFLAGS=-gcflags=all=-d=fmahash=qn, and "+
			"on amd64 with GOAMD64=v1 (docs/systems.md)")
	}
	if r.quiet {
		return
	}
	threads := fmt.Sprint(share.MaxThreads)
	if share.MinThreads != share.MaxThreads {
		threads = fmt.Sprintf("%d to %d", share.MinThreads, share.MaxThreads)
	}
	fmt.Fprintf(stdout, "%-16s %s; ranks: %d, threads of each: %s, machines: %d; transport %s: %s\n", "found",
		r.env.Origin(), ranks, threads, share.Hosts, r.transport, r.reason)
}

// log returns the writer for the lines of a rank other than 0. launch.Local adds the rank to each line itself.
func (r *rank) log(rank int) io.Writer {
	if r.env.Launcher == launch.Atoll {
		return stdout
	}
	return launch.NewLineWriter(stdout, fmt.Sprintf("[rank %d] ", rank), &r.lines)
}

// isValidAddress reports whether an address is host:port, where host may be missing.
func isValidAddress(address string) bool {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// serveFlags are the flags of the page of a run.
type serveFlags struct {
	serve, serveMetrics string
	serveHosts          []string
}

func (f *serveFlags) register(p *pflag.FlagSet) {
	p.StringVar(&f.serve, "serve", "", "serve a page that shows the run at host:port, and /metrics for "+
		"Prometheus; :8080 for this machine alone, 0.0.0.0:8080 for all that can reach it")
	p.StringVar(&f.serveMetrics, "serve-metrics", "", "with --serve: host:port of a second listener, with /metrics and "+
		"/healthz alone")
	p.StringArrayVar(&f.serveHosts, "serve-host", nil, "with --serve: a name by which browsers may reach the page, "+
		"beside localhost, the name of this machine and IP addresses; may be repeated")
}

func (f *serveFlags) validate() error {
	switch {
	case f.serve != "" && !isValidAddress(f.serve):
		return usageError{fmt.Errorf("--serve %q: give host:port, or :port for this machine alone, as in :8080", f.serve)}
	case f.serveMetrics != "" && (f.serve == "" || !isValidAddress(f.serveMetrics)):
		return usageError{fmt.Errorf("--serve-metrics %q: want host:port or :port, together with --serve", f.serveMetrics)}
	case len(f.serveHosts) > 0 && f.serve == "":
		return usageError{errors.New("--serve-host is for a run with --serve")}
	}
	return nil
}

// args returns the flags that pass these settings on to a rank process.
func (f *serveFlags) args() (args []string) {
	for _, flag := range []struct{ name, value string }{{"--serve", f.serve}, {"--serve-metrics", f.serveMetrics}} {
		if flag.value != "" {
			args = append(args, flag.name, flag.value)
		}
	}
	for _, host := range f.serveHosts {
		args = append(args, "--serve-host", host)
	}
	return args
}

// watch starts the server for --serve on rank 0. If it cannot listen, all ranks return the error.
func (r *rank) watch(ctx context.Context, comm dist.Comm) (s *watch.Server, err error) {
	if r.serve == "" || r.check {
		return nil, nil
	}
	if comm.Rank() == 0 {
		c := watch.Config{Address: r.serve, Metrics: r.serveMetrics, Hosts: r.serveHosts}
		if s, err = watch.Listen(c); err != nil {
			err = usageError{fmt.Errorf("--serve %s: %w", r.serve, err)}
		}
	}
	if err := firstError(ctx, comm, err); err != nil {
		return nil, err
	}
	if s != nil && !r.quiet {
		fmt.Fprintf(stdout, "%-16s %s\n", "watch", s.URL())
	}
	return s, nil
}
