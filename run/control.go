package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/drive"
	"github.com/atoll-hpc/atoll/run/live"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/tables"
	"github.com/atoll-hpc/atoll/run/watch"
	"github.com/atoll-hpc/atoll/solvers"
)

// control decides when a run saves its state and when it stops early. The ranks poll each other by a reduction at the
// same steps, a few times per second by the clock of rank 0. A poll tells all ranks whether one of them must stop, and
// whether all have written their parts of a checkpoint.
type control struct {
	run       *recorder.Run
	saver     *checkpoints
	view      *live.View
	rows      *tables.Conservation
	output    *recorder.List
	orders    func(steps int) Orders // what rank 0 decides after some steps
	where     func(now solvers.Clock) string
	stop      <-chan struct{} // closed to order the run to stop
	limit     time.Time       // when the run stops by itself; zero for never
	nextPoll  int             // step of the next poll
	lastPoll  time.Time
	lastSteps int // step of the last poll
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

// newControl starts the clocks of polls and checkpoints. Closing stop orders the run to stop.
func (r *runner) newControl(stop <-chan struct{}) *control {
	c := &control{run: &r.output, saver: r.checkpoints, view: r.view, rows: r.rows, output: r.list, stop: stop,
		where: func(now solvers.Clock) string {
			return fmt.Sprintf("%s, after step %d%s", r.timeText(now.Time), now.Steps, r.frames.Last())
		}}
	c.orders = func(steps int) Orders {
		o := c.decide(steps)
		o.View = r.Watch.Wants()
		return o
	}
	if r.Polls != nil {
		c.orders = r.Polls
	}
	if r.TimeLimit > 0 {
		c.limit = r.started.Add(r.TimeLimit)
	}
	c.start(r.solver.Clock().Steps)
	return c
}

// start measures the pace of steps from here on.
func (c *control) start(steps int) {
	now := time.Now()
	c.lastSteps, c.nextPoll, c.lastPoll = steps, steps, now
	c.saver.Schedule().StartWall(now)
}

// stepsToPoll returns the number of steps until the next poll.
func (c *control) stepsToPoll(steps int) int {
	if c == nil {
		return math.MaxInt
	}
	return max(c.nextPoll-steps, 1)
}

// poll polls the ranks if it is time, and saves or stops as decided. All ranks call it after each call of Advance.
func (c *control) poll(ctx context.Context, now solvers.Clock) error {
	if c == nil {
		return nil
	}
	atInterval := c.saver.Schedule().Due(now)
	if now.Steps < c.nextPoll && !atInterval {
		return nil
	}
	if err := errors.Join(c.run.Ledger.Err(), c.rows.Settle(ctx)); err != nil {
		return err
	}
	p, err := c.exchange(ctx, now)
	if err != nil {
		return err
	}
	stop := p[pollStop] != keepRunning
	if err := c.view.Send(ctx, now, watch.Want(p[pollWanted])); err != nil {
		return err
	}
	c.nextPoll = now.Steps + int(p[pollSteps])
	if c.saver.writer != nil && (p[pollCheckpoint] == 0 || stop || atInterval) {
		if err := c.saver.Settle(ctx); err != nil {
			return err
		}
	}
	if c.saver.writer == nil && (p[pollSave] != 0 || stop || atInterval) {
		if err := c.saver.Write(ctx, now, stop); err != nil {
			return err
		}
	}
	if !stop {
		return nil
	}
	return c.stopped(ctx, now, p[pollStop])
}

// stopped completes the output and returns the error of a run that ends before its end, with its state saved.
func (c *control) stopped(ctx context.Context, now solvers.Clock, reason stopReason) error {
	if err := c.output.Settle(ctx); err != nil {
		return err
	}
	if unsaved := c.saver.unsaved; unsaved != "" {
		return &solvers.Fault{Err: fmt.Errorf("its state is not saved: %s", unsaved)}
	}
	return &Stopped{Where: c.where(now), AtTimeLimit: reason == stopTimeLimit, ByDriver: reason == stopByDriver}
}

// Orders are what rank 0 decides at a poll.
type Orders struct {
	Stop  bool       // save the state and stop, as before a time limit
	Save  bool       // begin a checkpoint
	View  watch.Want // what the live view needs
	Steps int        // number of steps until the next poll; less than 1 counts as 1
}

// exchange makes the poll: it reduces the words of all ranks.
func (c *control) exchange(ctx context.Context, now solvers.Clock) (p poll, err error) {
	select {
	case <-c.stop:
		p[pollStop] = stopOrdered
	default:
	}
	if c.run.Comm.Rank() == 0 {
		p.give(c.orders(now.Steps))
	}
	if !c.saver.written() {
		p[pollCheckpoint] = 1
	}
	return p, c.run.Comm.AllreduceInt64(ctx, dist.Max, p[:])
}

// decide decides by the clock whether to save or stop, and when to poll next.
func (c *control) decide(steps int) (o Orders) {
	now := time.Now()
	// The run stops early enough to save its state, with a margin: half as long again as the last checkpoint took.
	o.Stop = !c.limit.IsZero() && now.Add(c.saver.writeTime*3/2+5*pollInterval).After(c.limit)
	o.Save = c.saver.Schedule().DueByWall(now)
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

// startDriver prepares a run with a driver. An order to stop ends its wait for requests.
func (r *runner) startDriver(ctx context.Context) error {
	if r.Drive == nil {
		return nil
	}
	if r.control == nil {
		return &solvers.BadInput{Err: errors.New("--drive: this run cannot save and restore its state")}
	}
	if _, changes := r.solver.(solvers.Remesher); changes {
		return &solvers.BadInput{Err: errors.New("--drive: the mesh of this case changes during the run, and a driver " +
			"needs fields on the same cells")}
	}
	r.driver = &drive.Rank{Session: r.Drive, Comm: r.Comm, Solver: r.solver.(solvers.Restarter), End: r.size.End,
		Sweeps: r.size.Sweeps, Name: r.Case.Solver, Settle: func() error { return r.list.Settle(ctx) }}
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
	if err := r.list.Settle(ctx); err != nil {
		return err
	}
	if err := r.checkpoints.Write(ctx, now, true); err != nil {
		return err
	}
	return r.control.stopped(ctx, now, stopByDriver)
}
