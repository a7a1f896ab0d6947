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

// keeper saves the state of a run in its course, and ends the run when it is told to. Rank 0's clock tells when ranks
// look at each other, a few times a second, whatever a step takes: then they find out whether one of them is to stop,
// and whether all have written what they were writing.
type keeper struct {
	told    <-chan struct{} // closed when the run is to stop
	limit   time.Time       // when it is to stop by itself; zero for never
	look    int             // the step at which ranks look next
	looked  time.Time
	at      int // steps then
	saved   time.Time
	took    time.Duration // of the last checkpoint
	begun   time.Time     // of the one under way
	writing *checkpoint.Writer
	layouts checkpoint.Layouts
	path    string // of that
}

// lookEvery is how long a run goes on before it sees that it is to stop.
const lookEvery = 200 * time.Millisecond

// What ranks tell each other when they look. toSave, toShow and nextLook are of rank 0.
const (
	toStop = iota
	toSave
	toShow
	nextLook
	stillWriting
	stillDrawing
	words
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

// keeps tells whether the run saves its state.
func (r *runner) keeps() bool {
	_, can := r.solver.(solvers.Restarter)
	return can && r.Report == nil && r.Replay == nil
}

// newKeeper begins to look after a run.
func (r *runner) newKeeper(told <-chan struct{}) *keeper {
	now := time.Now()
	k := &keeper{told: told, looked: now, saved: now}
	if r.TimeLimit > 0 {
		k.limit = r.started.Add(r.TimeLimit)
	}
	return k
}

// left is how many steps there are to the next look.
func (r *runner) left(steps int) int {
	if r.keeper == nil {
		return math.MaxInt
	}
	n := r.keeper.look - steps
	if every := r.Case.Checkpoint.Steps; every > 0 {
		n = min(n, every-steps%every)
	}
	return max(n, 1)
}

// keep is called after each stretch of steps.
func (r *runner) keep(ctx context.Context, now solvers.Clock) error {
	k := r.keeper
	if k == nil {
		return nil
	}
	every := r.Case.Checkpoint.Steps
	regular := every > 0 && now.Steps%every == 0
	if now.Steps < k.look && !regular {
		return nil
	}
	if err := r.observeAll(ctx); err != nil {
		return err
	}
	all := make([]int64, words)
	select {
	case <-k.told:
		all[toStop] = 1
	default:
	}
	if r.Comm.Rank() == 0 {
		k.decide(all, now.Steps, r.Case.Checkpoint.Every)
		all[toShow] = int64(r.Watch.Wants())
	}
	if k.writing != nil && !k.writing.Written() {
		all[stillWriting] = 1
	}
	for _, f := range r.frames {
		if !f.drawn() {
			all[stillDrawing] = 1
		}
	}
	if err := r.Comm.AllreduceInt64(ctx, dist.Max, all); err != nil {
		return err
	}
	for _, f := range r.frames {
		if all[stillDrawing] == 0 && f.drawing != nil {
			if err := f.goOn(ctx); err != nil {
				return err
			}
		}
	}
	if all[toStop] != 0 {
		if err := r.drawn(ctx); err != nil {
			return err
		}
	}
	if err := r.show(ctx, now, watch.Want(all[toShow])); err != nil {
		return err
	}
	k.look = now.Steps + int(all[nextLook])
	if k.writing != nil && (all[stillWriting] == 0 || all[toStop] != 0 || regular) {
		if err := r.saved(ctx); err != nil {
			return err
		}
	}
	if k.writing == nil && (all[toSave] != 0 || all[toStop] != 0 || regular) {
		if err := r.save(ctx); err != nil {
			return err
		}
	}
	if all[toStop] == 0 {
		return nil
	}
	if err := r.saved(ctx); err != nil {
		return err
	}
	return &Stopped{Where: fmt.Sprintf("%s, after step %d%s", r.moment(now.Time), now.Steps, r.lastFrame()),
		Late: all[toStop] == 2}
}

// decide is what rank 0 wants of all.
func (k *keeper) decide(all []int64, steps int, every float64) {
	now := time.Now()
	if !k.limit.IsZero() && now.Add(k.took*3/2+5*lookEvery).After(k.limit) {
		all[toStop] = 2
	}
	if every > 0 && now.Sub(k.saved).Seconds() >= every {
		all[toSave] = 1
	}
	// As many steps as fit, but at most twice those of the last stretch: the first ones are slower.
	last := max(steps-k.at, 1)
	n := 2 * float64(last)
	if took := now.Sub(k.looked); took > 0 {
		n = min(n, float64(last)*lookEvery.Seconds()/took.Seconds())
	}
	all[nextLook] = max(1, int64(n))
	k.looked, k.at = now, steps
}

// save begins a checkpoint.
func (r *runner) save(ctx context.Context) error {
	k := r.keeper
	k.begun, k.saved = time.Now(), time.Now()
	if err := r.drawn(ctx); err != nil { // what it tells of frames is of those that are there
		return err
	}
	defer func() { r.output += time.Since(k.begun) }()
	r.sign()
	told, err := r.position(ctx)
	if err != nil {
		return err
	}
	shot, err := solvers.Save(ctx, r.solver.(solvers.Restarter))
	if err != nil {
		return err
	}
	r.sign()
	inputs, err := r.inputs()
	if err != nil {
		return errors.Join(err, shot.Close())
	}
	info := checkpoint.Info{Solver: r.Case.Solver, Case: r.Case.Name, StepsSHA256: r.Case.StepsHash(), Inputs: inputs,
		Version: r.info().Version, Run: told}
	k.path = checkpoint.Path(r.Dir, shot.Clock.Steps)
	k.writing, err = checkpoint.Begin(ctx, r.Comm, r.fence, info, shot, &k.layouts)
	return r.unwritten(err)
}

// saved ends the checkpoint under way, if there is one.
func (r *runner) saved(ctx context.Context) error {
	k := r.keeper
	if k == nil || k.writing == nil {
		return nil
	}
	err := k.writing.Finish(ctx)
	k.writing = nil
	k.took = time.Since(k.begun)
	if err == nil && r.Comm.Rank() == 0 {
		r.Watch.Tell("checkpoint %s, in %v", filepath.Base(k.path), k.took.Round(time.Millisecond))
		prune := func() error { return checkpoint.Prune(r.Dir, r.Case.Checkpoint.Keep) }
		if err := r.fence.Publish(prune); err != nil {
			r.warn("earlier checkpoints are still there: %v", err)
		}
	}
	return r.unwritten(err)
}

// unwritten tells that there is a checkpoint less, which does not end a run.
func (r *runner) unwritten(err error) error {
	var failed *checkpoint.NotWritten
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
