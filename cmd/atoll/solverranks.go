package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/dist/mpi"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/solvers"
)

// solverRank is one rank of a solver's own command.
type solverRank struct {
	comm      dist.Comm
	transport string
	threads   int
	crowded   bool // a machine has more threads than processors
	local     int  // number among the ranks of this machine
	locals    int  // ranks that share the memory of this one
	log       io.Writer
}

// solverWork is what a rank of a solver's command does. Rank 0 returns the report.
type solverWork func(ctx context.Context, r *solverRank) (solvers.Report, error)

// onRanks does the work of a command on the ranks of this process, all of them as goroutines or the one that a launcher
// has started, and prints the report. args are the files of the command.
func (f *solverFlags) onRanks(ctx context.Context, args []string, work solverWork) error {
	if err := cmp.Or(f.checkCounts(), f.connectFlags.validate()); err != nil {
		return err
	}
	env, err := launch.Detect()
	if err != nil {
		return usageError{err}
	}
	r := rank{runFlags: &runFlags{connectFlags: f.connectFlags}, env: env}
	if r.transport, r.reason, err = launch.Choose(env, f.transport, mpi.Built); err != nil {
		return r.failure(usageError{err})
	}
	checked := func(ctx context.Context, s *solverRank) (solvers.Report, error) {
		if err := solvers.Agree(ctx, s.comm, f.checkReport(s.comm.Rank(), args)); err != nil {
			return nil, err
		}
		return work(ctx, s)
	}
	switch {
	case env.Launcher != launch.None || r.transport == launch.MPI:
		return r.failure(f.process(ctx, &r, checked))
	case r.transport == launch.GRPC:
		return usageError{errors.New("--transport grpc is for ranks that are processes: start them with atoll launch local " +
			"-n N -- atoll …")}
	}
	report, err := local.Each(f.ranks, func(comm dist.Comm) (solvers.Report, error) {
		s := &solverRank{comm: comm, threads: f.threads, local: comm.Rank(), locals: f.ranks, log: f.log(comm.Rank())}
		if s.threads == 0 {
			s.threads = max(1, runtime.GOMAXPROCS(0)/f.ranks)
		}
		return together(ctx, s, checked)
	})
	if err != nil {
		return err
	}
	return f.printReport(report)
}

// checkReport refuses, on rank 0, a report that cannot be written or would overwrite a file of the command.
func (f *solverFlags) checkReport(rank int, args []string) error {
	if f.json == "" || rank > 0 {
		return nil
	}
	return cmp.Or(refuseOverwrite(f.json, args), checkWritable(f.json))
}

// log returns where the progress of a rank is printed; nil for nowhere.
func (f *solverFlags) log(rank int) io.Writer {
	if f.quiet || rank > 0 {
		return nil
	}
	return stdout
}

// process does the work of the one rank of this process.
func (f *solverFlags) process(ctx context.Context, r *rank, work solverWork) error {
	if f.ranksGiven {
		r.ranks = f.ranks
	}
	if err := r.checkRanks(); err != nil {
		return err
	}
	comm, leave, err := r.join(ctx, "")
	if err != nil {
		return err
	}
	report, err := f.withShare(ctx, r, comm, work)
	if err = errors.Join(err, comm.Close(), leave()); err != nil || r.env.Rank != 0 {
		return err
	}
	return f.printReport(report)
}

// withShare does the work with this rank's share of its machine.
func (f *solverFlags) withShare(ctx context.Context, r *rank, comm dist.Comm, work solverWork) (solvers.Report, error) {
	share, err := launch.Divide(ctx, comm, cmp.Or(f.threads, r.env.Threads))
	if err != nil {
		return nil, err
	}
	if share.Warning != "" && comm.Rank() == 0 {
		fmt.Fprintln(stderr, "atoll: warning:", share.Warning)
	}
	if r.transport == launch.GRPC {
		useProcessors(share.Threads)
	}
	s := &solverRank{comm: comm, transport: r.transport, threads: share.Threads, crowded: share.Warning != "",
		local: share.LocalRank, locals: share.LocalSize, log: f.log(comm.Rank())}
	if cpu.MemoryIsOfGroup() {
		s.locals = share.GroupSize
	}
	return together(ctx, s, work)
}

// together does the work of a rank, whose error all ranks return. If ranks cannot tell each other, the others end too.
func together(ctx context.Context, s *solverRank, work solverWork) (solvers.Report, error) {
	report, err := work(ctx, s)
	agreed := solvers.Agree(ctx, s.comm, err)
	switch {
	case agreed == nil:
	case errors.As(agreed, new(*solvers.BadInput)), errors.As(agreed, new(*solvers.Fault)):
		err = &sharedError{cmp.Or(err, agreed), 0}
	default:
		err = cmp.Or(err, agreed)
		s.comm.Abort(1, err)
	}
	return report, err
}
