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
	"github.com/atoll-hpc/atoll/run/drive"
	"github.com/atoll-hpc/atoll/run/watch"
	"github.com/atoll-hpc/atoll/solvers"
)

// control decides when a run saves its state and when it stops early. The ranks poll each other by a reduction at the
// same steps, a few times per second by the clock of rank 0. A poll tells all ranks whether one of them must stop, and
// whether all have written their parts of a checkpoint.
type control struct {
	stop       <-chan struct{} // closed to order the run to stop
	limit      time.Time       // when the run stops by itself; zero for never
	nextPoll   int             // step of the next poll
	lastPoll   time.Time
	lastSteps  int           // step of the last poll
	lastSave   time.Time     // when the last checkpoint began
	writeTime  time.Duration // duration of the last checkpoint
	writeBegun time.Time     // start of the checkpoint in progress
	writer     *checkpoint.Writer
	// encoded keys of the cells and vertices, made for the first checkpoint and used again by later ones
	layouts     checkpoint.Layouts
	path        string     // of the checkpoint in progress
	unsaved     string     // why the last checkpoint was not written; "" if it was
	pruneResult chan error // receives the result of removing earlier checkpoints; nil if that is not in progress
}

// pollInterval is the wall-clock time between polls.
const pollInterval = 200 * time.Millisecond

// poll is the data of one poll: its words are reduced by the maximum over ranks. Only rank 0 sets pollSave, pollWanted
// and pollSteps.
type poll [pollWords]int64

const (
	pollStop       = iota // a stopReason
	pollSave              // 1: start a checkpoint
	pollWanted            // a watch.Want
	pollSteps             // steps to the next poll
	pollCheckpoint        // 1: a rank is still writing its part of a checkpoint
	pollWords
)

// stopReason is why a run stops before its end. The largest value of all ranks holds.
type stopReason = int64

const (
	keepRunning stopReason = iota
	stopOrdered
	stopTimeLimit
	stopByDriver
)

// Stopped is the error of a run that was ordered to stop and has saved its state.
type Stopped struct {
	Where       string // position of the run
	AtTimeLimit bool   // stopped by its time limit
	ByDriver    bool   // stopped by its driver
}

func (e *Stopped) Error() string {
	if e.AtTimeLimit {
		return "stopped shortly before its time limit " + e.Where
	}
	if e.ByDriver {
		return "stopped by its driver " + e.Where
	}
	return "stopped by a signal " + e.Where
}

// savesState reports whether the run can save its state.
func (r *runner) savesState() bool {
	_, ok := r.solver.(solvers.Restarter)
	return ok && r.Report == nil && r.Replay == nil
}

// newControl starts the clocks of polls and checkpoints. Closing stop orders the run to stop.
func (r *runner) newControl(stop <-chan struct{}) *control {
	now := time.Now()
	c := &control{stop: stop, lastPoll: now, lastSave: now}
	if r.TimeLimit > 0 {
		c.limit = r.started.Add(r.TimeLimit)
	}
	return c
}

// stepsToPoll returns the number of steps until the next poll.
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

// poll polls the ranks if it is time, and saves or stops as decided. All ranks call it after each call of Advance.
func (r *runner) poll(ctx context.Context, now solvers.Clock) error {
	c := r.control
	if c == nil {
		return nil
	}
	every := r.Case.Checkpoint.Steps
	atInterval := every > 0 && now.Steps%every == 0
	if now.Steps < c.nextPoll && !atInterval {
		return nil
	}
	if err := errors.Join(r.ledger.Err(), r.finishTableRows(ctx)); err != nil {
		return err
	}
	p, err := r.exchangePoll(ctx, now)
	if err != nil {
		return err
	}
	stop := p[pollStop] != keepRunning
	if stop {
		if err := r.finishFrames(ctx); err != nil {
			return err
		}
	}
	if err := r.sendView(ctx, now, watch.Want(p[pollWanted])); err != nil {
		return err
	}
	c.nextPoll = now.Steps + int(p[pollSteps])
	if c.writer != nil && (p[pollCheckpoint] == 0 || stop || atInterval) {
		if err := r.finishCheckpoint(ctx); err != nil {
			return err
		}
	}
	if c.writer == nil && (p[pollSave] != 0 || stop || atInterval) {
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
	return r.stopped(now, p[pollStop])
}

// stopped returns the error of a run that has ended before its end, with its state saved.
func (r *runner) stopped(now solvers.Clock, reason stopReason) error {
	if unsaved := r.control.unsaved; unsaved != "" {
		return &solvers.Fault{Err: fmt.Errorf("its state is not saved: %s", unsaved)}
	}
	return &Stopped{Where: fmt.Sprintf("%s, after step %d%s", r.timeText(now.Time), now.Steps, r.lastFrame()),
		AtTimeLimit: reason == stopTimeLimit, ByDriver: reason == stopByDriver}
}

// Orders are what rank 0 decides at a poll.
type Orders struct {
	Stop  bool       // save the state and stop, as before a time limit
	Save  bool       // begin a checkpoint
	View  watch.Want // what the live view needs
	Steps int        // number of steps until the next poll; less than 1 counts as 1
}

// exchangePoll makes the poll: it reduces the words of all ranks.
func (r *runner) exchangePoll(ctx context.Context, now solvers.Clock) (p poll, err error) {
	c := r.control
	select {
	case <-c.stop:
		p[pollStop] = stopOrdered
	default:
	}
	if r.Comm.Rank() == 0 {
		p.give(r.orders(now.Steps))
	}
	if c.writer != nil && !c.writer.Written() {
		p[pollCheckpoint] = 1
	}
	return p, r.Comm.AllreduceInt64(ctx, dist.Max, p[:])
}

// orders returns what rank 0 decides after some steps.
func (r *runner) orders(steps int) Orders {
	if r.Polls != nil {
		return r.Polls(steps)
	}
	o := r.control.decide(steps, r.Case.Checkpoint.Every)
	o.View = r.Watch.Wants()
	return o
}

// decide decides by the clock whether to save or stop, and when to poll next.
func (c *control) decide(steps int, every float64) (o Orders) {
	now := time.Now()
	// The run stops early enough to save its state, with a margin: half as long again as the last checkpoint took.
	o.Stop = !c.limit.IsZero() && now.Add(c.writeTime*3/2+5*pollInterval).After(c.limit)
	o.Save = every > 0 && now.Sub(c.lastSave).Seconds() >= every
	// As many steps as take pollInterval, but at most twice the last number: the first steps are slower.
	last := max(steps-c.lastSteps, 1)
	n := 2 * float64(last)
	if elapsed := now.Sub(c.lastPoll); elapsed > 0 {
		n = min(n, float64(last)*pollInterval.Seconds()/elapsed.Seconds())
	}
	o.Steps = int(n)
	c.lastPoll, c.lastSteps = now, steps
	return o
}

// give sets the words of rank 0.
func (p *poll) give(o Orders) {
	if o.Stop {
		p[pollStop] = stopTimeLimit
	}
	if o.Save {
		p[pollSave] = 1
	}
	p[pollWanted], p[pollSteps] = int64(o.View), max(1, int64(o.Steps))
}

// beginCheckpoint starts to write a checkpoint.
func (r *runner) beginCheckpoint(ctx context.Context) error {
	c := r.control
	c.writeBegun, c.lastSave, c.unsaved = time.Now(), time.Now(), ""
	if err := r.finishFrames(ctx); err != nil { // the checkpoint counts only frames that are complete
		return err
	}
	defer func() { r.outputTime += time.Since(c.writeBegun) }()
	r.heartbeat()
	position, err := r.position(ctx)
	if err != nil {
		return err
	}
	output := r.ledger.Mark()
	snapshot, err := solvers.Save(ctx, r.solver.(solvers.Restarter))
	if err != nil {
		return err
	}
	r.heartbeat()
	inputs, err := r.inputs()
	if err != nil {
		return errors.Join(err, snapshot.Close())
	}
	info := checkpoint.Info{Solver: r.Case.Solver, Case: r.Case.Name, StepKeysSHA256: r.Case.StepKeysHash(),
		Inputs: inputs, Version: r.info().Version, Run: position}
	c.path = checkpoint.Path(r.Dir, snapshot.Clock.Steps)
	c.writer, err = checkpoint.Begin(ctx, r.Comm, r.fence, info, snapshot, &c.layouts, output)
	return r.tolerateUnwritten(err)
}

// finishCheckpoint completes the checkpoint in progress, if there is one.
func (r *runner) finishCheckpoint(ctx context.Context) error {
	c := r.control
	if c == nil || c.writer == nil {
		return nil
	}
	r.waitForPrune()
	err := c.writer.Finish(ctx)
	c.writer = nil
	c.writeTime = time.Since(c.writeBegun)
	if err == nil && r.Comm.Rank() == 0 {
		r.Watch.Log("checkpoint %s, in %v", filepath.Base(c.path), c.writeTime.Round(time.Millisecond))
		r.prune()
	}
	// Without the files that it counts there is no checkpoint, and there will be none.
	return errors.Join(r.tolerateUnwritten(err), r.ledger.Err())
}

// prune removes earlier checkpoints in the background, because removing large files can take long.
func (r *runner) prune() {
	result := make(chan error, 1)
	r.control.pruneResult = result
	go func() {
		result <- r.fence.Publish(func() error { return checkpoint.Prune(r.Dir, r.Case.Checkpoint.Keep) })
	}()
}

func (r *runner) waitForPrune() {
	if c := r.control; c.pruneResult != nil {
		if err := <-c.pruneResult; err != nil {
			r.warn("earlier checkpoints could not be removed: %v", err)
		}
		c.pruneResult = nil
	}
}

// closeCheckpoints waits for background work on checkpoints. It must be called before the device is closed, since a
// checkpoint may still be read from it.
func (r *runner) closeCheckpoints() error {
	if r.control == nil {
		return nil
	}
	r.waitForPrune()
	if r.control.writer == nil {
		return nil
	}
	return r.control.writer.Abandon()
}

// tolerateUnwritten turns a failure to write a checkpoint into a warning: the run goes on.
func (r *runner) tolerateUnwritten(err error) error {
	var failed *checkpoint.NotWrittenError
	if !errors.As(err, &failed) {
		return err
	}
	r.control.unsaved = failed.Why
	if r.Comm.Rank() == 0 {
		r.warn("checkpoint not written: %s", failed.Why)
	}
	return nil
}

// warn writes a warning to the live view and to Options.Warn.
func (r *runner) warn(format string, args ...any) {
	r.Watch.Log("warning: "+format, args...)
	if r.Warn != nil {
		fmt.Fprintf(r.Warn, "atoll: warning: "+format+"\n", args...)
	}
}

// startDriver prepares a run with a driver. An order to stop ends its wait for requests.
func (r *runner) startDriver(ctx context.Context) error {
	if r.Drive == nil {
		return nil
	}
	solver, ok := r.solver.(solvers.Restarter)
	if !ok || r.control == nil {
		return &solvers.BadInput{Err: errors.New("--drive: this run cannot save and restore its state")}
	}
	r.driver = &drive.Rank{Session: r.Drive, Comm: r.Comm, Solver: solver, End: r.size.End, Sweeps: r.size.Sweeps,
		Name: r.Case.Solver, Settle: func() error {
			return errors.Join(r.finishTableRows(ctx), r.finishFrames(ctx))
		}}
	if r.Comm.Rank() == 0 {
		go func() {
			select {
			case <-r.control.stop:
				r.Drive.Interrupt()
			case <-ctx.Done():
			}
		}()
	}
	return nil
}

// awaitOrder waits, between steps, for the driver, and saves the state if it ends the run before its end.
func (r *runner) awaitOrder(ctx context.Context, now solvers.Clock, ended bool) error {
	stop, err := r.driver.Await(ctx, now, ended)
	if err != nil || ended || !stop {
		return err
	}
	if err := errors.Join(r.finishTableRows(ctx), r.finishFrames(ctx), r.finishCheckpoint(ctx)); err != nil {
		return err
	}
	if err := errors.Join(r.beginCheckpoint(ctx), r.finishCheckpoint(ctx)); err != nil {
		return err
	}
	return r.stopped(now, stopByDriver)
}
