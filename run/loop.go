package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/solvers"
)

// openConservation begins the table that tells that the run is under way: when all ranks are in the loop, so that from
// then on all of them save the state when they are told to stop.
func (r *runner) openConservation(ctx context.Context) error {
	if r.Report != nil {
		return nil
	}
	if err := r.Comm.Barrier(ctx); err != nil || r.Comm.Rank() != 0 {
		return err
	}
	var err error
	r.conservation, err = openConservationTable(r.fence, r.from.length(conservationFile))
	return err
}

// loop advances the case to its end.
func (r *runner) loop(ctx context.Context) error {
	r.loopBegun = time.Now()
	if err := r.openConservation(ctx); err != nil {
		return err
	}
	r.heartbeat()
	if r.checkpoint != nil {
		if err := r.resume(ctx); err != nil {
			return err
		}
		r.heartbeat()
	}
	r.progress = progress.New(r.Progress, r.progressRange())
	defer r.progress.Finish()
	if r.Watched {
		r.Watch.Begin(r.about())
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	now := r.solver.Clock()
	for r.running(now) {
		r.heartbeat()
		done, err := r.step(ctx)
		if err != nil {
			return err
		}
		now = r.solver.Clock()
		if done || !r.running(now) {
			break
		}
		if err := errors.Join(r.reportTime(now), r.poll(ctx, now)); err != nil {
			return err
		}
	}
	return r.conclude(ctx, now)
}

// conclude writes what is to be written after the last step.
func (r *runner) conclude(ctx context.Context, now solvers.Clock) error {
	r.heartbeat()
	if err := r.finishRows(ctx); err != nil {
		return err
	}
	if r.lastFrameTime < now.Time {
		if err := r.frame(ctx, now.Time); err != nil {
			return err
		}
	}
	if err := r.finishFrames(ctx); err != nil {
		return err
	}
	if every := r.conservationEvery(); every > 0 && now.Steps%every != 0 {
		if err := r.measure(ctx, now); err != nil {
			return err
		}
		if err := r.finishRows(ctx); err != nil {
			return err
		}
	}
	r.loopTime = r.earlierLoops + time.Since(r.loopBegun)
	return r.showEnd(ctx, now)
}

// running tells that the end has not come.
func (r *runner) running(now solvers.Clock) bool {
	return now.Time < r.size.End && (r.size.MaxSteps == 0 || now.Steps < r.size.MaxSteps) &&
		(r.Replay == nil || now.Time < r.Replay.Until)
}

// step takes some steps, and writes what is due after them. Only the end of the run shortens a step, so that looking at
// a run does not change it; exact_times has frames shorten theirs too.
func (r *runner) step(ctx context.Context) (done bool, err error) {
	until, pause := r.size.End, r.nextSample()
	if r.Replay != nil {
		pause = min(pause, r.Replay.Until)
	}
	if next := r.nextFrame(); r.Case.Output.ExactTimes {
		until = min(until, next)
	} else {
		pause = min(pause, next)
	}
	steps := r.solver.Clock().Steps
	done, err = r.solver.Advance(ctx, until, pause, min(r.stepsToLook(steps), r.stepsToPoll(steps)))
	now := r.solver.Clock()
	if err != nil {
		return false, fmt.Errorf("%s: %w", r.timeText(now.Time), r.firstCause(ctx, err))
	}
	if r.firstStep == 0 && !r.ProcessStart.IsZero() {
		r.firstStep = time.Since(r.ProcessStart)
	}
	r.heartbeat()
	r.progress.Step(now.Steps, now.Time, now.Dt)
	r.Watch.Step(now)
	if err := r.record(ctx, now); err != nil {
		return false, err
	}
	if now.Time < r.nextFrame() {
		return done, nil
	}
	if now.Time < r.size.End {
		if err := r.frame(ctx, now.Time); err != nil {
			return false, err
		}
		r.lastFrameTime = now.Time
	}
	r.nextFrameIndex = max(r.nextFrameIndex, int(now.Time/r.Case.Output.Every)) // rounded, and thus one off at most
	for r.nextFrame() <= now.Time {
		r.nextFrameIndex++
	}
	return done, nil
}

// nextFrame is when the next frame is due.
func (r *runner) nextFrame() float64 {
	if r.Case.Output.Every == 0 {
		return math.Inf(1)
	}
	return float64(r.nextFrameIndex) * r.Case.Output.Every
}

// nextSample is when the run must pause for the next row of a gauge.
func (r *runner) nextSample() float64 {
	at := math.Inf(1)
	if r.sampler != nil {
		return at
	}
	for _, g := range r.tables {
		if g.every > 0 {
			at = min(at, g.next)
		}
	}
	return at
}

// conservationEvery is how many steps there are between rows of conservation.csv, 0 where it is not written.
func (r *runner) conservationEvery() int {
	if r.Report != nil {
		return 0
	}
	return r.Case.Output.ConservationEvery
}

// progressRange is what the progress is measured by.
func (r *runner) progressRange() progress.Run {
	now := r.solver.Clock()
	p := progress.Run{Cells: r.size.Entities, End: r.size.End, MaxSteps: r.size.MaxSteps, Step: now.Steps, Time: now.Time}
	if r.size.Sweeps {
		if p.MaxSteps == 0 || r.size.End < float64(p.MaxSteps) {
			p.MaxSteps = int(r.size.End)
		}
		p.End = 0
	}
	return p
}

// timeText names a time.
func (r *runner) timeText(t float64) string {
	if r.size.Sweeps {
		return "after " + words.Count(int64(t), "sweep")
	}
	return fmt.Sprintf("at t = %g s", t)
}

// Interrupted tells where a run was when its context ended.
type Interrupted struct {
	Where string
	Err   error
}

func (e *Interrupted) Error() string { return e.Where + ": " + e.Err.Error() }
func (e *Interrupted) Unwrap() error { return e.Err }

// positionText tells how far a run has come.
func (r *runner) positionText() string {
	now := r.solver.Clock()
	return fmt.Sprintf("%s, in step %d%s", r.timeText(now.Time), now.Steps+1, r.lastFrame())
}

// lastFrame tells which frame was the last, as the end of a sentence.
func (r *runner) lastFrame() string {
	if len(r.frames) == 0 || r.frames[0].count == 0 {
		return ""
	}
	return fmt.Sprintf(" and frame %d", r.frames[0].count-1)
}

// stepsToLook is how many steps may pass before the runner must look at the state.
func (r *runner) stepsToLook(steps int) int {
	n := math.MaxInt
	if r.size.MaxSteps > 0 {
		n = r.size.MaxSteps - steps
	}
	if every := r.conservationEvery(); every > 0 {
		n = min(n, every-steps%every)
	}
	for _, g := range r.tables {
		if g.every == 0 && r.sampler == nil {
			n = 1
		}
	}
	return n
}

// start writes the frame and the rows of the start, or finds out what is next after it.
func (r *runner) start(ctx context.Context) error {
	switch {
	case r.from != nil:
		r.nextFrameIndex, r.lastFrameTime = r.from.Next, r.from.Framed
		r.earlierLoops = time.Duration(r.from.Wall * float64(time.Second))
		if k := r.control; k != nil { // which measures how fast steps are from here
			k.lastSteps, k.nextPoll, k.lastPoll, k.saved = r.solver.Clock().Steps, r.solver.Clock().Steps, time.Now(), time.Now()
		}
		fmt.Fprintf(r.progress, "%-16s %s, from %s\n", "continues", r.timeText(r.from.time), r.checkpoint.Path)
		r.Watch.Restarted(r.restarted())
		return nil
	case r.Replay != nil && (r.checkpoint != nil || r.Replay.From > 0):
		r.skipOutputUntil(r.Replay.From)
		return nil
	}
	r.nextFrameIndex = 1
	if r.Report != nil {
		return nil
	}
	if err := r.frame(ctx, 0); err != nil {
		return err
	}
	if err := r.sample(ctx, 0); err != nil {
		return err
	}
	return r.measure(ctx, solvers.Clock{})
}

// record writes what is due after a step.
func (r *runner) record(ctx context.Context, now solvers.Clock) error {
	if err := r.sampleSteps(ctx, now.Time); err != nil {
		return err
	}
	early := r.Replay != nil && now.Time < r.Replay.From
	if every := r.conservationEvery(); every == 0 || now.Steps%every != 0 || early {
		return nil
	}
	return r.measure(ctx, now)
}

// measure adds a row to the table of conservation, or begins it.
func (r *runner) measure(ctx context.Context, now solvers.Clock) error {
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	if r.observing.solver != nil {
		return r.observe(ctx, now)
	}
	table, err := r.totals.Measure(ctx, r.solver)
	if err != nil || r.conservation == nil {
		return err
	}
	return r.row(now, table)
}

// row adds what was measured to the table of conservation.
func (r *runner) row(now solvers.Clock, table []solvers.Quantity) error {
	r.Watch.Measured(table)
	return r.conservation.record(now, table)
}

// frame adds the state to each series of frames. It returns while they are being written, one of each series at a time.
func (r *runner) frame(ctx context.Context, t float64) error {
	if len(r.frames) == 0 {
		return nil
	}
	if err := r.finishRows(ctx); err != nil {
		return err
	}
	begin := time.Now()
	defer func() {
		r.output += time.Since(begin)
		r.framing += time.Since(begin)
	}()
	for _, f := range r.frames {
		if err := f.end(ctx); err != nil { // before another holds as much memory
			return err
		}
	}
	for _, f := range r.frames {
		p, err := r.builder.piece(ctx, f.format)
		if err != nil {
			return err
		}
		f.begin(t, p)
	}
	return nil
}

// finishFrames ends the frames under way.
func (r *runner) finishFrames(ctx context.Context) error {
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	for _, f := range r.frames {
		if err := f.end(ctx); err != nil {
			return err
		}
	}
	return nil
}
