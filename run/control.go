package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/watch"
	"github.com/atoll-hpc/atoll/solvers"
)

// control saves the state of a run in its course, and ends the run when it is told to. All ranks poll each other at the
// same steps, a few times a second by rank 0's clock, however long a step takes: then they find out whether one of them
// is to stop, and whether all have written what they were writing.
type control struct {
	stop       <-chan struct{} // closed when the run is to stop
	limit      time.Time       // when it is to stop by itself; zero for never
	nextPoll   int             // the step at which ranks poll next
	lastPoll   time.Time
	lastSteps  int // steps then
	saved      time.Time
	writeTime  time.Duration // of the last checkpoint
	writeBegun time.Time     // of the one under way
	writing    *checkpoint.Writer
	layouts    checkpoint.Layouts
	path       string     // of that
	pruning    chan error // has a value when the earlier ones are gone; nil if nobody is at it
}

// pollInterval is how long a run continues before it sees that it is to stop.
const pollInterval = 200 * time.Millisecond

// poll is what the ranks find out about each other in one reduction, by the maximum over all. The words save, show and
// nextPoll are of rank 0.
type poll [pollWords]int64

const (
	pollStop    = iota // a stopReason
	pollSave           // 1: begin a checkpoint
	pollShow           // a watch.Want
	pollNext           // steps to the next poll
	pollWriting        // 1: a rank is still writing its share of a checkpoint
	pollDrawing        // 1: a rank is still at a stage of a frame
	pollWords
)

// stopReason is why a run stops before its end. The greatest of all ranks counts.
type stopReason = int64

const (
	goOn stopReason = iota
	stopOrdered
	stopTimeLimit
)

// Stopped tells that a run was told to stop, and has saved its state.
type Stopped struct {
	Where string // how far it was
	Late  bool   // its time was up
}

func (e *Stopped) Error() string {
	if e.Late {
		return "stopped near its time limit " + e.Where
	}
	return "stopped by a signal " + e.Where
}

// savesState reports whether the run saves its state.
func (r *runner) savesState() bool {
	_, can := r.solver.(solvers.Restarter)
	return can && r.Report == nil && r.Replay == nil
}

// newControl starts the clocks of polls and checkpoints.
func (r *runner) newControl(told <-chan struct{}) *control {
	now := time.Now()
	k := &control{stop: told, lastPoll: now, saved: now}
	if r.TimeLimit > 0 {
		k.limit = r.started.Add(r.TimeLimit)
	}
	return k
}

// stepsToPoll is how many steps there are to the next poll.
func (r *runner) stepsToPoll(steps int) int {
	if r.control == nil {
		return math.MaxInt
	}
	n := r.control.nextPoll - steps
	if every := r.Case.Checkpoint.Steps; every > 0 {
		n = min(n, every-steps%every)
	}
	return max(n, 1)
}

// poll is called by all ranks after each stretch of steps.
func (r *runner) poll(ctx context.Context, now solvers.Clock) error {
	k := r.control
	if k == nil {
		return nil
	}
	every := r.Case.Checkpoint.Steps
	regular := every > 0 && now.Steps%every == 0
	if now.Steps < k.nextPoll && !regular {
		return nil
	}
	if err := r.finishRows(ctx); err != nil {
		return err
	}
	p, err := r.exchangePoll(ctx, now)
	if err != nil {
		return err
	}
	stop := p[pollStop] != goOn
	for _, f := range r.frames {
		if p[pollDrawing] == 0 && f.pending != nil {
			if err := f.advance(ctx); err != nil {
				return err
			}
		}
	}
	if stop {
		if err := r.finishFrames(ctx); err != nil {
			return err
		}
	}
	if err := r.show(ctx, now, watch.Want(p[pollShow])); err != nil {
		return err
	}
	k.nextPoll = now.Steps + int(p[pollNext])
	if k.writing != nil && (p[pollWriting] == 0 || stop || regular) {
		if err := r.finishCheckpoint(ctx); err != nil {
			return err
		}
	}
	if k.writing == nil && (p[pollSave] != 0 || stop || regular) {
		if err := r.beginCheckpoint(ctx); err != nil {
			return err
		}
	}
	if !stop {
		return nil
	}
	if err := r.finishCheckpoint(ctx); err != nil {
		return err
	}
	return &Stopped{Where: fmt.Sprintf("%s, after step %d%s", r.timeText(now.Time), now.Steps, r.lastFrame()),
		Late: p[pollStop] == stopTimeLimit}
}

// exchangePoll reduces what all ranks have to tell.
func (r *runner) exchangePoll(ctx context.Context, now solvers.Clock) (p poll, err error) {
	k := r.control
	select {
	case <-k.stop:
		p[pollStop] = stopOrdered
	default:
	}
	if r.Comm.Rank() == 0 {
		k.request(&p, now.Steps, r.Case.Checkpoint.Every)
		p[pollShow] = int64(r.Watch.Wants())
	}
	if k.writing != nil && !k.writing.Written() {
		p[pollWriting] = 1
	}
	for _, f := range r.frames {
		if !f.stageDone() {
			p[pollDrawing] = 1
		}
	}
	return p, r.Comm.AllreduceInt64(ctx, dist.Max, p[:])
}

// request is what rank 0 asks all ranks for.
func (k *control) request(p *poll, steps int, every float64) {
	now := time.Now()
	if !k.limit.IsZero() && now.Add(k.writeTime*3/2+5*pollInterval).After(k.limit) {
		p[pollStop] = stopTimeLimit
	}
	if every > 0 && now.Sub(k.saved).Seconds() >= every {
		p[pollSave] = 1
	}
	// As many steps as fit, but at most twice those of the last stretch: the first ones are slower.
	last := max(steps-k.lastSteps, 1)
	n := 2 * float64(last)
	if took := now.Sub(k.lastPoll); took > 0 {
		n = min(n, float64(last)*pollInterval.Seconds()/took.Seconds())
	}
	p[pollNext] = max(1, int64(n))
	k.lastPoll, k.lastSteps = now, steps
}

// beginCheckpoint begins a checkpoint.
func (r *runner) beginCheckpoint(ctx context.Context) error {
	k := r.control
	r.waitForPrune() // which removes what is not whole
	k.writeBegun, k.saved = time.Now(), time.Now()
	if err := r.finishFrames(ctx); err != nil { // what it tells of frames is of those that are there
		return err
	}
	defer func() { r.output += time.Since(k.writeBegun) }()
	r.heartbeat()
	told, err := r.position(ctx)
	if err != nil {
		return err
	}
	shot, err := solvers.Save(ctx, r.solver.(solvers.Restarter))
	if err != nil {
		return err
	}
	r.heartbeat()
	inputs, err := r.inputs()
	if err != nil {
		return errors.Join(err, shot.Close())
	}
	info := checkpoint.Info{Solver: r.Case.Solver, Case: r.Case.Name, StepsSHA256: r.Case.StepsHash(), Inputs: inputs,
		Version: r.info().Version, Run: told}
	k.path = checkpoint.Path(r.Dir, shot.Clock.Steps)
	k.writing, err = checkpoint.Begin(ctx, r.Comm, r.fence, info, shot, &k.layouts)
	return r.tolerateUnwritten(err)
}

// finishCheckpoint ends the checkpoint under way, if there is one.
func (r *runner) finishCheckpoint(ctx context.Context) error {
	k := r.control
	if k == nil || k.writing == nil {
		return nil
	}
	r.waitForPrune()
	err := k.writing.Finish(ctx)
	k.writing = nil
	k.writeTime = time.Since(k.writeBegun)
	if err == nil && r.Comm.Rank() == 0 {
		r.Watch.Tell("checkpoint %s, in %v", filepath.Base(k.path), k.writeTime.Round(time.Millisecond))
		r.prune()
	}
	return r.tolerateUnwritten(err)
}

// prune removes earlier checkpoints in the background: large files take their time.
func (r *runner) prune() {
	done := make(chan error, 1)
	r.control.pruning = done
	go func() {
		done <- r.fence.Publish(func() error { return checkpoint.Prune(r.Dir, r.Case.Checkpoint.Keep) })
	}()
}

func (r *runner) waitForPrune() {
	if k := r.control; k.pruning != nil {
		if err := <-k.pruning; err != nil {
			r.warn("earlier checkpoints are still there: %v", err)
		}
		k.pruning = nil
	}
}

// closeCheckpoints waits for what is under way of them, before the device goes that one may be read from.
func (r *runner) closeCheckpoints() error {
	if r.control == nil {
		return nil
	}
	r.waitForPrune()
	if r.control.writing == nil {
		return nil
	}
	return r.control.writing.Abandon()
}

// tolerateUnwritten tells that there is a checkpoint less, which does not end a run.
func (r *runner) tolerateUnwritten(err error) error {
	var failed *checkpoint.NotWrittenError
	if !errors.As(err, &failed) {
		return err
	}
	if r.Comm.Rank() == 0 {
		r.warn("checkpoint not written: %s", failed.Why)
	}
	return nil
}

// warn tells rank 0's people something.
func (r *runner) warn(format string, args ...any) {
	r.Watch.Tell("warning: "+format, args...)
	if r.Warn != nil {
		fmt.Fprintf(r.Warn, "atoll: warning: "+format+"\n", args...)
	}
}
