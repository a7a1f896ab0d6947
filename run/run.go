// Package run executes a case. It sets up the solver on every rank, advances it to the end of the case, and writes
// frames, gauges, the table of conserved quantities, checkpoints and a summary.
//
// Run is the entry point; each rank calls it with its Options. It uses a solver only through the interfaces of package
// solvers, so it needs no change for a new solver. Subpackages hold the output folder (folder), checkpoints
// (checkpoint), progress lines (progress), the live view (watch), pictures (plot) and the commands that run a case for
// another purpose (verify, bench, study).
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/drive"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/frames"
	"github.com/atoll-hpc/atoll/run/live"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/tables"
	"github.com/atoll-hpc/atoll/run/watch"
	"github.com/atoll-hpc/atoll/solvers"
)

// Options configure a run on one rank. All ranks must pass the same values, except for Comm and Device.
type Options struct {
	Case         *config.Case
	Comm         dist.Comm
	Device       backend.Device
	Transport    string        // name for the summary
	Halo         string        // halo exchanger of devices: auto, staged, p2p or nccl; "" for auto
	LocalRanks   int           // number of ranks that share the device, including this one; 0 means 1
	Crowding     float64       // threads of ranks that share a processor, the same on all ranks; 0 means 1
	Dir          string        // output folder; "" for the one that the case names
	Force        bool          // replace results of another case in Dir, and ignore its checkpoints
	Restart      bool          // the run must continue from a checkpoint
	TimeLimit    time.Duration // wall-clock limit: shortly before it the run saves its state and stops; 0 for none
	Warn         io.Writer     // receives warnings; may be nil
	Replay       *Replay       // recompute a part of an earlier run; nil for an ordinary run
	Summary      string        // path of the summary; "" for summary.json in Dir
	ProcessStart time.Time     // start of the process; zero if the process makes several runs
	Heartbeat    func()        // called after each piece of work, possibly often; may be nil
	// Replaced is called if another run has taken the output folder, as it can where file locks hold on one machine only.
	// The process must end at once, and write nothing more into the folder. Nil: such a run goes on.
	Replaced func(err error)
	Check    bool // set up and estimate the costs, but do not run

	// Epoch and FirstEpoch are set for elastic runs, whose ranks can be lost and replaced; they are 0 for other runs. The
	// run continues from a checkpoint that was written in FirstEpoch or later. Once an epoch after Epoch has begun, this
	// rank can publish no files any more.
	Epoch, FirstEpoch uint64

	Progress progress.Options // used on rank 0
	Watched  bool             // whether the run has a live view
	Watch    *watch.Server    // the server of the live view, on rank 0; nil on other ranks

	// Polls, if not nil, decides on rank 0 at each poll, after the given number of steps, instead of the clock and the
	// viewers: for tests, which cannot depend on either. The first poll is after the first call of Advance.
	Polls func(steps int) Orders

	// Drive, if not nil, is the session of a driver, which orders the steps. The ranks of this process share it; the run
	// has no others.
	Drive *drive.Session

	// Report, if not nil, replaces the summary at the end of the run. Such a run has no output folder. Log receives the
	// messages of its set-up; it may be nil.
	Report func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error
	Log    io.Writer
}

// Run runs a case. Every rank of o.Comm calls it. Rank 0 writes the summary; all ranks return it, with the same
// contents except for times. An error on one rank aborts the others.
func Run(ctx context.Context, o Options) (*summary.Summary, error) {
	r, err := newRunner(ctx, o)
	if err == nil && !o.Check {
		if err = r.runToEnd(ctx); err != nil && ctx.Err() != nil {
			var stopped *Stopped
			if !errors.As(err, &stopped) {
				err = &Interrupted{r.positionText(), err}
			}
		}
	}
	var result *summary.Summary
	switch {
	case err != nil:
	case o.Report != nil:
		err = r.reportOutcome(ctx)
	default:
		result, err = r.finish(ctx)
	}
	if err == nil && o.Check {
		err = r.forecast.measureSteps(ctx)
		if result.Estimate = r.forecast.estimates; err == nil && o.Summary != "" && o.Comm.Rank() == 0 {
			err = result.Write(o.Summary)
		}
	}
	err = errors.Join(err, r.close())
	if r.folder != nil {
		err = errors.Join(err, r.releaseFolder(ctx, result, err))
	}
	r.reportEnd(err)
	var bad *solvers.BadInput
	var stopped *Stopped
	if err != nil && !errors.As(err, &bad) && !errors.As(err, &stopped) {
		code := abortFailed
		switch {
		case isInvalid(ctx, err):
			code = abortInvalid
		case solvers.IsFault(err):
			code = abortFault
		}
		o.Comm.Abort(code, err)
	}
	return result, err
}

// Codes of aborted runs: why one rank ends them all.
const (
	abortFailed  = 1
	abortInvalid = 3 // its state is invalid
	abortFault   = 4 // see IsFault
)

// IsFault reports whether a run ended because of a fault (solvers.IsFault) of this rank, or of one that aborted the
// run.
func IsFault(err error) bool {
	var aborted *dist.AbortError
	return solvers.IsFault(err) || errors.As(err, &aborted) && aborted.Code == abortFault
}

// isInvalid reports whether a run ended because the state of this rank or of another one became invalid. Between ranks
// of one process the end of ctx may be all that this rank sees.
func isInvalid(ctx context.Context, err error) bool {
	var aborted *dist.AbortError
	return errors.As(err, new(*solvers.InvalidState)) || errors.As(err, &aborted) && aborted.Code == abortInvalid ||
		errors.As(context.Cause(ctx), new(*solvers.InvalidState))
}

// Drain is the longest time that a run may take to save its state after it was ordered to stop.
const Drain = 2 * time.Minute

// runToEnd runs the steps. If the run can save its state, cancelling ctx means: stop after the current step and save.
// Communication needs a context that is still alive for that, so the loop gets its own, which ends Drain later.
func (r *runner) runToEnd(ctx context.Context) error {
	if r.checkpoints == nil {
		return r.loop(ctx)
	}
	r.control = r.newControl(ctx.Done())
	go r.inputs() //nolint:errcheck // computed in the background; the error is returned to whoever calls it next
	loopCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(Drain):
			cancel(fmt.Errorf("ordered to stop, but did not stop within %v", Drain))
		case <-loopCtx.Done():
		}
	})()
	return r.loop(loopCtx)
}

// runner is the state of a run on one rank.
type runner struct {
	Options
	solver        solvers.Solver
	size          solvers.Size
	notes         []string       // that were printed
	folder        *folder.Folder // on rank 0; nil without an output folder
	origin        origin
	started       time.Time
	setUpTime     time.Duration
	loopBegun     time.Time     // when the loop over steps began
	earlierLoops  time.Duration // time that the loops took before a restart
	loopTime      time.Duration
	loopProcessor time.Duration // processor time of this process in the loop; during it, before it
	firstStepTime time.Duration // from the start of the process until the first step was taken or queued; 0 if unknown
	totals        *solvers.Totals
	forecast      forecast
	progress      *progress.Line
	control       *control                          // nil if the run cannot save its state
	inputs        func() (map[string]string, error) // SHA-256 of the input files of the case; on rank 0
	driver        *drive.Rank                       // nil for a run without a driver

	output recorder.Run   // what the recorders share
	list   *recorder.List // of all kinds of output; those of which more must be known follow, nil for none
	gauges *tables.Gauges
	rows   *tables.Conservation
	frames *frames.Frames
	view   *live.View

	checkpoints *checkpoints // nil if the run cannot save its state
}

// heartbeat informs the supervisor that the run makes progress.
func (r *runner) heartbeat() {
	if r.Heartbeat != nil {
		r.Heartbeat()
	}
}

// reportOutcome calls Report with the outcome of the run.
func (r *runner) reportOutcome(ctx context.Context) error {
	hash, err := solvers.Hash(ctx, r.Comm, r.solver)
	if err != nil {
		return err
	}
	drifts, err := r.totals.Drifts(ctx, r.solver.Clock().Steps)
	if err != nil {
		return err
	}
	return r.Report(ctx, r.solver, solvers.Outcome{Steps: r.solver.Clock().Steps, Hash: hash, Drifts: drifts,
		SetUp: r.setUpTime.Seconds(), Seconds: r.loopTime.Seconds()})
}

// close closes the output before the solver, from whose device it may still be read.
func (r *runner) close() error {
	err := r.list.Close()
	if r.totals != nil {
		r.totals.Close()
	}
	if r.solver != nil {
		r.solver.Close()
	}
	return err
}

// warn writes a warning to the live view and to Options.Warn.
func (r *runner) warn(format string, args ...any) {
	r.Watch.Log("warning: "+format, args...)
	if r.Warn != nil {
		fmt.Fprintf(r.Warn, "atoll: warning: "+format+"\n", args...)
	}
}
