package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/run/piece"
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
		r.estimates = &summary.Estimate{HostBytes: need.Host, ArrayBytes: need.Arrays, CopyBytes: need.Copies}
		if o.Comm.Rank() == 0 && o.Progress.Out != nil {
			fmt.Fprintf(o.Progress.Out, "%-16s %s\n", "memory estimate", need.Text(localRanks, separate))
		}
		free, source := estimate.FreeMemory()
		if err = need.Check(free, source, localRanks); err == nil {
			err = solvers.CheckDeviceMemory(o.Device, need.Arrays, localRanks)
		}
	}
	return solvers.Agree(ctx, o.Comm, err)
}

// estimateTime estimates the remaining time of the run, given the time per step.
func (r *runner) estimateTime(step time.Duration) *estimate.Time {
	now, end := r.solver.Clock(), r.size.End
	forecast := &estimate.Time{Step: step, Sweeps: r.size.Sweeps}
	if !r.running(now) {
		return forecast
	}
	if r.Replay != nil {
		end = min(end, r.Replay.Until)
	}
	remaining := end - now.Time
	if s, isStepper := r.solver.(solvers.Stepper); isStepper {
		forecast.Least, forecast.Most = s.StepsTo(end)
		forecast.Likely = (forecast.Least + forecast.Most) / 2
	}
	switch {
	case r.size.Sweeps:
		forecast.Least, forecast.Likely, forecast.Most = remaining, remaining, remaining
	case forecast.Most == 0: // the solver does not know the number of steps
		forecast.SetSteps(remaining, now.Dt)
	}
	if every := r.Case.Output.Every; every > 0 && len(r.Case.Output.Format) > 0 {
		forecast.Frames = math.Ceil(remaining / every)
		if r.Case.Output.ExactTimes {
			forecast.Most += forecast.Frames
		}
	}
	if limit := r.size.MaxSteps; limit > 0 {
		forecast.Limit(float64(limit - now.Steps))
	}
	for _, frames := range r.frames {
		forecast.Frame += frames.writeTime
	}
	return forecast
}

// stepTimer measures the time per step of a running case until the remaining time has been reported.
type stepTimer struct {
	reported       bool
	start          time.Time     // start of the measurement: after the slow first steps and the first frame
	startStep      int           // step at start
	startFrameTime time.Duration // time spent on frames before start
}

const (
	minMeasurement = time.Second     // shortest measurement
	maxFrameWait   = 5 * time.Second // longest wait for the initial frame
)

// reportTime prints once how long the rest of the run will take. It is called after each call of Advance.
func (r *runner) reportTime(now solvers.Clock) error {
	p := &r.timer
	if p.reported || r.Comm.Rank() != 0 || r.Progress.Out == nil {
		return nil
	}
	if p.start.IsZero() {
		for _, series := range r.frames {
			if len(series.pending) > 0 && time.Since(r.loopBegun) < maxFrameWait {
				return nil
			}
		}
		if err := backend.Sync(r.Device); err != nil {
			return err
		}
		p.start, p.startStep, p.startFrameTime = time.Now(), now.Steps, r.frameTime
		return nil
	}
	if time.Since(p.start) < minMeasurement || now.Steps == p.startStep {
		return nil
	}
	if err := backend.Sync(r.Device); err != nil {
		return err
	}
	elapsed := time.Since(p.start) - (r.frameTime - p.startFrameTime)
	forecast := r.estimateTime(elapsed / time.Duration(now.Steps-p.startStep))
	r.keepEstimate(forecast, now.Steps, (r.earlierLoops + time.Since(r.loopBegun)).Seconds())
	p.reported = true
	fmt.Fprintf(r.progress, "%-16s still %v\n", "time estimate", forecast)
	least, _ := forecast.Wall()
	if remaining := r.TimeLimit - time.Since(r.started); r.TimeLimit > 0 && !forecast.Sweeps &&
		least > remaining.Seconds() {
		fmt.Fprintf(r.progress, "%-16s this exceeds --time-limit %v: the run will save its state and stop then; the same "+
			"command continues it\n", "", r.TimeLimit)
	}
	return nil
}

// keepEstimate stores a time estimate for the summary. It adds the steps and wall-clock seconds before the estimate.
func (r *runner) keepEstimate(forecast *estimate.Time, stepsBefore int, secondsBefore float64) {
	if r.estimates == nil {
		r.estimates = &summary.Estimate{}
	}
	fewest, most := forecast.Steps()
	r.estimates.Steps = []float64{fewest + float64(stepsBefore), most + float64(stepsBefore)}
	least, longest := forecast.Wall()
	r.estimates.Wall = []float64{least + secondsBefore, longest + secondsBefore}
}

// Time limits for the steps of a checked case: of all of them, and of the last call of Advance, which must take long
// enough to be timed.
const (
	maxCheckTime = 2 * time.Second
	minCallTime  = 300 * time.Millisecond
)

// measureSteps takes some steps of a checked case, doubling their number in each call of Advance, and prints how long a
// run will take. All ranks call it.
func (r *runner) measureSteps(ctx context.Context) error {
	frame, err := r.measureFrame(ctx)
	if err != nil {
		return err
	}
	begun, step, last, n := time.Now(), time.Duration(0), time.Duration(0), 1
	for done := false; !done && r.running(r.solver.Clock()); n *= 2 {
		before, start := r.solver.Clock().Steps, time.Now()
		if r.size.MaxSteps > 0 {
			n = min(n, r.size.MaxSteps-before)
		}
		done, err = r.solver.Advance(ctx, r.size.End, r.size.End, n)
		if err := errors.Join(err, backend.Sync(r.Device)); err != nil {
			return fmt.Errorf("%s: %w", r.positionText(), r.firstCause(ctx, err))
		}
		r.heartbeat()
		elapsed := []float64{float64(time.Since(start)), float64(time.Since(begun))}
		if err := r.Comm.AllreduceFloat64(ctx, dist.Max, elapsed); err != nil {
			return err
		}
		perStep := time.Duration(elapsed[0]) / time.Duration(max(1, r.solver.Clock().Steps-before))
		if step = perStep; n > 2 { // other processes may have slowed down one call
			step = min(perStep, last)
		}
		last = perStep
		done = done || elapsed[0] >= float64(minCallTime) || elapsed[1] >= float64(maxCheckTime)
	}
	taken := r.solver.Clock().Steps
	if taken == 0 {
		return nil
	}
	forecast := r.estimateTime(step)
	forecast.Add(float64(taken))
	forecast.Frame = frame
	r.keepEstimate(forecast, 0, 0)
	if r.Comm.Rank() == 0 && r.Progress.Out != nil {
		fmt.Fprintf(r.Progress.Out, "%-16s %v\n", "time estimate", forecast)
	}
	return nil
}

// measureFrame returns the time to assemble a frame. It writes nothing.
func (r *runner) measureFrame(ctx context.Context) (time.Duration, error) {
	if err := r.builder.prepare(r.Case.Output.Format); err != nil {
		return 0, err
	}
	begun := time.Now()
	for _, format := range r.Case.Output.Format {
		if file := r.builder.extension(format); file == "" || file == netcdfFormat {
			continue
		}
		d, err := r.builder.snapshot(ctx, format)
		if err != nil {
			return 0, err
		}
		p, err := d.makePiece()
		if err = errors.Join(err, d.close()); err != nil {
			return 0, err
		}
		if part, ok := p.(piece.PartOfFile); ok { // encodes this rank's part of a file that all ranks write
			if _, err := part.FilePart(r.Case.Output.Compress); err != nil {
				return 0, err
			}
		}
		d.arrays.End()
	}
	return time.Since(begun), nil
}
