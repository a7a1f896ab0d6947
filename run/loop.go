package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/solvers"
)

// openConservation creates conservation.csv, after all ranks have entered the loop. Its existence shows that the run is
// under way: from then on every rank saves its state when it is ordered to stop.
func (r *runner) openConservation(ctx context.Context) error {
	if r.Report != nil {
		return nil
	}
	if err := r.Comm.Barrier(ctx); err != nil || r.Comm.Rank() != 0 {
		return err
	}
	var err error
	r.conservation, err = openConservationTable(r.fence, r.resumeFrom.tableLength(conservationFile))
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
		r.Watch.Begin(r.description())
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	if err := r.startDriver(ctx); err != nil {
		return err
	}
	now := r.solver.Clock()
	for r.running(now) {
		r.heartbeat()
		if err := r.awaitOrder(ctx, now, false); err != nil {
			return err
		}
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
	if err := r.awaitOrder(ctx, now, true); err != nil {
		return err
	}
	return r.conclude(ctx, now)
}

// conclude writes the output that is due after the last step, and completes what is being written in the background.
func (r *runner) conclude(ctx context.Context, now solvers.Clock) error {
	r.heartbeat()
	if err := r.finishTableRows(ctx); err != nil {
		return err
	}
	if r.lastFrameTime < now.Time {
		if err := r.frame(ctx, now.Time, true); err != nil {
			return err
		}
	}
	if every := r.conservationEvery(); every > 0 && now.Steps%every != 0 {
		if err := r.measure(ctx, now); err != nil {
			return err
		}
		if err := r.finishTableRows(ctx); err != nil {
			return err
		}
	}
	if err := r.finishFrames(ctx); err != nil { // on one rank perhaps: a checkpoint is completed by all
		return err
	}
	r.builder.buffers.Drop()
	if err := r.finishCheckpoint(ctx); err != nil {
		return err
	}
	r.loopTime = r.earlierLoops + time.Since(r.loopBegun)
	return r.sendFinalView(ctx, now)
}

// running reports whether the end of the run has not been reached.
func (r *runner) running(now solvers.Clock) bool {
	return now.Time < r.size.End && (r.size.MaxSteps == 0 || now.Steps < r.size.MaxSteps) &&
		(r.Replay == nil || now.Time < r.Replay.Until)
}

// step takes some steps, then writes the output that is due. Output does not shorten steps, so it does not change
// results; only the end of the run does, and frames with exact_times.
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
	n := min(r.stepsToOutput(steps), r.stepsToPoll(steps))
	until, n = r.driver.Limit(until, n)
	done, err = r.solver.Advance(ctx, until, pause, n)
	now := r.solver.Clock()
	if err != nil {
		return false, fmt.Errorf("%s: %w", r.timeText(now.Time), r.firstCause(ctx, err))
	}
	if r.firstStepTime == 0 && !r.ProcessStart.IsZero() {
		r.firstStepTime = time.Since(r.ProcessStart)
	}
	r.heartbeat()
	if err := r.completeFrames(ctx); err != nil {
		return false, err
	}
	r.progress.Step(now.Steps, now.Time, now.Dt)
	r.Watch.Step(now)
	if err := r.writeDueRows(ctx, now); err != nil {
		return false, err
	}
	if now.Time < r.nextFrame() {
		return done, nil
	}
	if now.Time < r.size.End {
		if err := r.frame(ctx, now.Time, false); err != nil {
			return false, err
		}
		r.lastFrameTime = now.Time
	}
	// rounding makes this at most one too small or too large
	r.nextFrameIndex = max(r.nextFrameIndex, int(now.Time/r.Case.Output.Every))
	for r.nextFrame() <= now.Time {
		r.nextFrameIndex++
	}
	return done, nil
}

// nextFrame returns the time at which the next frame is due, +Inf for none.
func (r *runner) nextFrame() float64 {
	if r.Case.Output.Every == 0 {
		return math.Inf(1)
	}
	return float64(r.nextFrameIndex) * r.Case.Output.Every
}

// nextSample returns the time at which the solver must pause for the next row of a gauge, +Inf for never.
func (r *runner) nextSample() float64 {
	t := math.Inf(1)
	if r.sampler != nil {
		return t
	}
	for _, g := range r.tables {
		if g.every > 0 {
			t = min(t, g.next)
		}
	}
	return t
}

// conservationEvery returns the number of steps between rows of conservation.csv; 0 if it is not written.
func (r *runner) conservationEvery() int {
	if r.Report != nil {
		return 0
	}
	return r.Case.Output.ConservationEvery
}

// progressRange returns the range of times and steps over which progress is shown.
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

// timeText formats a time for messages.
func (r *runner) timeText(t float64) string {
	if r.size.Sweeps {
		return "after " + words.Count(int64(t), "sweep")
	}
	return fmt.Sprintf("at t = %g s", t)
}

// Interrupted is the error of a run whose context ended. Where describes the position of the run.
type Interrupted struct {
	Where string
	Err   error
}

func (e *Interrupted) Error() string { return e.Where + ": " + e.Err.Error() }
func (e *Interrupted) Unwrap() error { return e.Err }

// positionText describes how far the run has come.
func (r *runner) positionText() string {
	now := r.solver.Clock()
	return fmt.Sprintf("%s, in step %d%s", r.timeText(now.Time), now.Steps+1, r.lastFrame())
}

// lastFrame names the last frame that was written, as the end of a sentence.
func (r *runner) lastFrame() string {
	if len(r.frames) == 0 || r.frames[0].count == 0 {
		return ""
	}
	return fmt.Sprintf(" and frame %d", r.frames[0].count-1)
}

// stepsToOutput returns how many steps the solver may take before the runner must write output.
func (r *runner) stepsToOutput(steps int) int {
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

// start writes the initial frame and rows. A run that continues from a checkpoint finds out which output is due next
// instead.
func (r *runner) start(ctx context.Context) error {
	switch {
	case r.resumeFrom != nil:
		r.nextFrameIndex, r.lastFrameTime = r.resumeFrom.NextFrame, r.resumeFrom.LastFrame
		r.earlierLoops = time.Duration(r.resumeFrom.Wall * float64(time.Second))
		if c := r.control; c != nil { // measure the pace of steps from here on
			c.lastSteps, c.nextPoll, c.lastPoll, c.lastSave = r.solver.Clock().Steps, r.solver.Clock().Steps, time.Now(),
				time.Now()
		}
		fmt.Fprintf(r.progress, "%-16s %s, from %s\n", "continues", r.timeText(r.resumeFrom.time), r.checkpoint.Path)
		r.Watch.LogRestart(r.restartText())
		return nil
	case r.Replay != nil && (r.checkpoint != nil || r.Replay.From > 0):
		r.skipOutputUntil(r.Replay.From)
		return nil
	}
	r.nextFrameIndex = 1
	if r.Report != nil {
		return nil
	}
	if err := r.frame(ctx, 0, false); err != nil {
		return err
	}
	if err := r.sample(ctx, 0); err != nil {
		return err
	}
	return r.measure(ctx, solvers.Clock{})
}

// writeDueRows writes the rows that are due after a step.
func (r *runner) writeDueRows(ctx context.Context, now solvers.Clock) error {
	if err := r.sampleSteps(ctx, now.Time); err != nil {
		return err
	}
	beforeReplay := r.Replay != nil && now.Time < r.Replay.From
	if every := r.conservationEvery(); every == 0 || now.Steps%every != 0 || beforeReplay {
		return nil
	}
	return r.measure(ctx, now)
}

// measure adds a row to conservation.csv, or starts to compute one.
func (r *runner) measure(ctx context.Context, now solvers.Clock) error {
	begin := time.Now()
	defer func() { r.outputTime += time.Since(begin) }()
	if r.rowQueue.used {
		return r.observe(ctx, now)
	}
	table, err := r.totals.MeasureColumns(ctx, r.solver)
	if err != nil || r.conservation == nil {
		return err
	}
	return r.writeConservation(now, table)
}

// writeConservation adds a row of measured quantities to conservation.csv.
func (r *runner) writeConservation(now solvers.Clock, table []solvers.Quantity) error {
	r.Watch.SetQuantities(table)
	return r.conservation.writeRow(now, table)
}

// frame adds the current state to each series of frames; last if the run has ended. It returns while the files are
// still being written: one of each series, or several if a device with separate memory holds their fields.
func (r *runner) frame(ctx context.Context, t float64, last bool) error {
	if len(r.frames) == 0 {
		return nil
	}
	if err := r.finishTableRows(ctx); err != nil {
		return err
	}
	begin := time.Now()
	defer func() {
		r.outputTime += time.Since(begin)
		r.frameTime += time.Since(begin)
	}()
	held := 1
	if _, separate := r.Device.(backend.Memory); separate {
		held = estimate.FramesOnDevice
	}
	for _, f := range r.frames {
		if err := f.limit(ctx, held); err != nil {
			return err
		}
	}
	for _, f := range r.frames {
		p, err := r.builder.snapshot(ctx, f.format)
		if err != nil {
			return err
		}
		f.begin(t, p, last)
	}
	return nil
}

// completeFrames completes frames that are written.
func (r *runner) completeFrames(ctx context.Context) error {
	for _, f := range r.frames {
		for f.written() {
			if err := f.advance(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishFrames completes the frames that are being written.
func (r *runner) finishFrames(ctx context.Context) error {
	begin := time.Now()
	defer func() { r.outputTime += time.Since(begin) }()
	for _, f := range r.frames {
		if err := f.end(ctx); err != nil {
			return err
		}
	}
	return nil
}
