package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// checkMemory estimates the memory of the run and prints it on rank 0. It returns an error on all ranks if the machine
// or device of one rank has less. It is called before anything is allocated.
func (r *runner) checkMemory(ctx context.Context) error {
	o := &r.Options
	_, separate := o.Device.(backend.Memory)
	localRanks := max(1, o.LocalRanks)
	need, err := estimate.MemoryOf(o.Case, o.Comm.Size(), localRanks, separate)
	if err == nil && need.Entities > 0 {
		r.forecast.estimates = &summary.Estimate{HostBytes: need.Host, ArrayBytes: need.Arrays, CopyBytes: need.Copies}
		if o.Comm.Rank() == 0 && o.Progress.Out != nil {
			fmt.Fprintf(o.Progress.Out, "%-16s %s\n", "memory estimate", need.Text(localRanks, separate))
		}
		free, source := cpu.FreeMemory()
		if err = need.Check(free, source, localRanks); err == nil {
			err = solvers.CheckDeviceMemory(o.Device, need.Arrays, localRanks)
		}
	}
	return solvers.Agree(ctx, o.Comm, err)
}

// forecast measures the time per step of a running case until the remaining time has been reported.
type forecast struct {
	*runner
	estimates   *summary.Estimate // nil until there is one
	reported    bool
	start       time.Time     // start of the measurement: after the slow first steps and the first frame
	startStep   int           // step at start
	startWaited time.Duration // for which steps had waited for frames before start
}

// remaining estimates the remaining time of the run, given the time per step.
func (f *forecast) remaining(step time.Duration) *estimate.Time {
	now, end := f.solver.Clock(), f.size.End
	left := &estimate.Time{Step: step, Sweeps: f.size.Sweeps}
	if !f.running(now) {
		return left
	}
	if f.Replay != nil {
		end = min(end, f.Replay.Until)
	}
	remaining := end - now.Time
	if s, isStepper := f.solver.(solvers.Stepper); isStepper {
		left.Least, left.Most = s.StepsTo(end)
		left.Likely = (left.Least + left.Most) / 2
	}
	switch {
	case f.size.Sweeps:
		left.Least, left.Likely, left.Most = remaining, remaining, remaining
	case left.Most == 0: // the solver does not know the number of steps
		left.SetSteps(remaining, now.Dt)
	}
	if every := f.Case.Output.Every; every > 0 && len(f.Case.Output.Format) > 0 {
		left.Frames = math.Ceil(remaining / every)
		if f.Case.Output.ExactTimes {
			left.Most += left.Frames
		}
	}
	if limit := f.size.MaxSteps; limit > 0 {
		left.Limit(float64(limit - now.Steps))
	}
	left.Frame = f.frames.WriteTime()
	return left
}

const (
	minMeasurement = time.Second     // shortest measurement
	maxFrameWait   = 5 * time.Second // longest wait for the initial frame
)

// report prints once how long the rest of the run will take. It is called after each call of Advance.
func (f *forecast) report(now solvers.Clock) error {
	if f.reported || f.Comm.Rank() != 0 || f.Progress.Out == nil {
		return nil
	}
	if f.start.IsZero() {
		if f.frames.Pending() && time.Since(f.loopBegun) < maxFrameWait {
			return nil
		}
		if err := backend.Sync(f.Device); err != nil {
			return err
		}
		f.start, f.startStep, f.startWaited = time.Now(), now.Steps, f.frames.Waited()
		return nil
	}
	if time.Since(f.start) < minMeasurement || now.Steps == f.startStep {
		return nil
	}
	if err := backend.Sync(f.Device); err != nil {
		return err
	}
	elapsed := time.Since(f.start) - (f.frames.Waited() - f.startWaited)
	left := f.remaining(elapsed / time.Duration(now.Steps-f.startStep))
	f.keep(left, now.Steps, f.loopWall().Seconds())
	f.reported = true
	fmt.Fprintf(f.progress, "%-16s still %v\n", "time estimate", left)
	least, _ := left.Wall()
	if remaining := f.TimeLimit - time.Since(f.started); f.TimeLimit > 0 && !left.Sweeps &&
		least > remaining.Seconds() {
		fmt.Fprintf(f.progress, "%-16s this exceeds --time-limit %v: the run will save its state and stop then; the same "+
			"command continues it\n", "", f.TimeLimit)
	}
	return nil
}

// keep stores a time estimate for the summary. It adds the steps and wall-clock seconds before the estimate.
func (f *forecast) keep(left *estimate.Time, stepsBefore int, secondsBefore float64) {
	if f.estimates == nil {
		f.estimates = &summary.Estimate{}
	}
	fewest, most := left.Steps()
	f.estimates.Steps = []float64{fewest + float64(stepsBefore), most + float64(stepsBefore)}
	least, longest := left.Wall()
	f.estimates.Wall = []float64{least + secondsBefore, longest + secondsBefore}
}

// Time limits for the steps of a checked case: of all of them, and of the last call of Advance, which must take long
// enough to be timed.
const (
	maxCheckTime = 2 * time.Second
	minCallTime  = 300 * time.Millisecond
)

// measureSteps takes some steps of a checked case, doubling their number in each call of Advance, and prints how long a
// run will take. All ranks call it.
func (f *forecast) measureSteps(ctx context.Context) error {
	frame, err := f.frames.Measure(ctx)
	if err != nil {
		return err
	}
	begun, step, last, n := time.Now(), time.Duration(0), time.Duration(0), 1
	for done := false; !done && f.running(f.solver.Clock()); n *= 2 {
		before, start := f.solver.Clock().Steps, time.Now()
		if f.size.MaxSteps > 0 {
			n = min(n, f.size.MaxSteps-before)
		}
		done, err = f.solver.Advance(ctx, f.size.End, f.size.End, n)
		if err := errors.Join(err, backend.Sync(f.Device)); err != nil {
			return fmt.Errorf("%s: %w", f.positionText(), f.firstCause(ctx, err))
		}
		f.heartbeat()
		elapsed := []float64{float64(time.Since(start)), float64(time.Since(begun))}
		if err := f.Comm.AllreduceFloat64(ctx, dist.Max, elapsed); err != nil {
			return err
		}
		perStep := time.Duration(elapsed[0]) / time.Duration(max(1, f.solver.Clock().Steps-before))
		if step = perStep; n > 2 { // other processes may have slowed down one call
			step = min(perStep, last)
		}
		last = perStep
		done = done || elapsed[0] >= float64(minCallTime) || elapsed[1] >= float64(maxCheckTime)
	}
	taken := f.solver.Clock().Steps
	if taken == 0 {
		return nil
	}
	left := f.remaining(step)
	left.Add(float64(taken))
	left.Frame = frame
	f.keep(left, 0, 0)
	if f.Comm.Rank() == 0 && f.Progress.Out != nil {
		fmt.Fprintf(f.Progress.Out, "%-16s %v\n", "time estimate", left)
	}
	return nil
}
