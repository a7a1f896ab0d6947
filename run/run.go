// Package run takes a case from its file to its results: it sets the solver up on every rank, advances it to its end,
// and writes frames, gauges, what is conserved, and a summary.
//
// All that it knows of a solver is what package solvers has: its kind in the registry, and what it declares.
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
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/watch"
	"github.com/atoll-hpc/atoll/solvers"
)

// Options say how to run a case on one rank. All ranks pass the same, but for Comm and Device.
type Options struct {
	Case         *config.Case
	Comm         dist.Comm
	Device       backend.Device
	Transport    string        // for the summary
	Halo         string        // how devices exchange ghosts: auto, staged or nccl; auto if empty
	LocalRanks   int           // ranks that share the device's memory, this one among them; 1 if 0
	Dir          string        // of all output; "" for the case's own
	Force        bool          // results of another case in that folder are replaced, and checkpoints not looked at
	Restart      bool          // the run must continue from a checkpoint
	TimeLimit    time.Duration // on the wall, near which the run saves its state and stops; 0 for none
	Warn         io.Writer     // is told of what does not end the run; nil for nobody
	Replay       *Replay       // a stretch of an earlier run; nil for a run of its own
	Summary      string        // file of the summary; "" for summary.json in the folder
	ProcessStart time.Time     // when the process did; zero where the run is one of several
	Heartbeat    func()        // is called whenever something is done, which may be often; nil for nobody
	Check        bool          // set up, but do not run

	// Epoch and Began are of a run whose ranks come and go, 0 of others. It continues from what ranks of the epoch Since,
	// or a later one, have saved, however these ended; what it publishes is refused once another epoch has begun.
	Epoch, FirstEpoch uint64

	Progress progress.Options // of rank 0
	Watched  bool             // the run can be watched, by
	Watch    *watch.Server    // of rank 0; nil on the others

	// Report ends a run in place of a summary. Such a run has no output folder; Log is told of its set-up, nil for nobody.
	Report func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error
	Log    io.Writer
}

// Run runs a case. Every rank of opts.Comm calls it; the summary, which rank 0 writes, is the same on all of them but
// for times.
// An error of one rank ends the others.
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
		err = r.measureSteps(ctx)
		if result.Estimate = r.estimates; err == nil && o.Summary != "" && o.Comm.Rank() == 0 {
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
		o.Comm.Abort(1, err)
	}
	return result, err
}

// Drain is how long a run that is told to stop may take until its state is saved.
const Drain = 2 * time.Minute

// runToEnd takes the run to its end. Where it saves its state, the end of the context is an order to stop, which is
// obeyed after a step; and communication, which needs a context, goes on until then.
func (r *runner) runToEnd(ctx context.Context) error {
	if !r.savesState() {
		return r.loop(ctx)
	}
	r.control = r.newControl(ctx.Done())
	go r.inputs() //nolint:errcheck // while the run begins; who needs them asks again
	going, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		select {
		case <-time.After(Drain):
			end(fmt.Errorf("told to stop, and did not within %v", Drain))
		case <-going.Done():
		}
	})()
	return r.loop(going)
}

// runner is a run on one rank.
type runner struct {
	Options
	solver       solvers.Solver
	size         solvers.Size
	folder       *folder.Folder // on rank 0, of runs that have one
	fence        folder.Fence
	started      time.Time
	setUp        time.Duration
	output       time.Duration
	framing      time.Duration // of that, for frames while steps wait
	loopTime     time.Duration
	firstStep    time.Duration // from when the process began until a step was taken, or queued; 0 if not known
	totals       *solvers.Totals
	builder      *frameBuilder
	frames       []*frames    // one for each format
	probe        *probe       // of cases that have gauges, at
	points       []gaugePoint // each with one of the
	gauges       []*gauge
	transects    *transects         // nil for none
	tables       []*gauge           // of both, on this rank
	sampler      solvers.Sampler    // nil where rows are of the present state
	conservation *conservationTable // on rank 0
	observing    observing
	progress     *progress.Line
	monitor      monitor // of runs that are watched

	nextFrameIndex int                               // which of the frames that are due at multiples of a time
	lastFrameTime  float64                           // when the last one was written
	loopBegun      time.Time                         // the loop
	earlierLoops   time.Duration                     // that loops before a restart took
	timer          stepTimer                         // of the loop
	estimates      *summary.Estimate                 // nil before the first
	control        *control                          // of runs that save their state
	inputs         func() (map[string]string, error) // SHA-256 of the files that the case names; on rank 0

	checkpoint *checkpoint.File // from which the run continues, with
	from       *position        // how far it was; nil for both
}

// heartbeat tells whoever supervises the run that it gets on.
func (r *runner) heartbeat() {
	if r.Heartbeat != nil {
		r.Heartbeat()
	}
}

// reportOutcome hands the run to its report.
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
		SetUp: r.setUp.Seconds(), Seconds: r.loopTime.Seconds()})
}

func (r *runner) close() error {
	errs := []error{r.closeCheckpoints()}
	for _, f := range r.frames {
		errs = append(errs, f.close())
	}
	if r.solver != nil {
		r.solver.Close()
	}
	for _, g := range r.tables {
		errs = append(errs, g.close())
	}
	if r.conservation != nil {
		errs = append(errs, r.conservation.close())
	}
	return errors.Join(errs...)
}
