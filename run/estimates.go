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

// checkMemory tells on rank 0 what the run will take, and refuses it on all ranks if that is more than the machine or
// the device of one has, before anything is made.
func (r *runner) checkMemory(ctx context.Context) error {
	o := &r.Options
	_, apart := o.Device.(backend.Memory)
	here := max(1, o.LocalRanks)
	n, err := estimate.MemoryOf(o.Case, o.Comm.Size(), here, apart)
	if err == nil && n.Entities > 0 {
		r.estimates = &summary.Estimate{HostBytes: n.Host, ArrayBytes: n.Arrays, CopyBytes: n.Copies}
		if o.Comm.Rank() == 0 && o.Progress.Out != nil {
			fmt.Fprintf(o.Progress.Out, "%-16s %s\n", "memory estimate", n.Text(here, apart))
		}
		free, of := estimate.FreeMemory()
		if err = n.Check(free, of, here); err == nil {
			err = solvers.CheckDeviceMemory(o.Device, n.Arrays, here)
		}
	}
	return solvers.Agree(ctx, o.Comm, err)
}

// estimateTime is what is left of the run, where a step takes so long.
func (r *runner) estimateTime(step time.Duration) *estimate.Time {
	now, end := r.solver.Clock(), r.size.End
	f := &estimate.Time{Step: step, Sweeps: r.size.Sweeps}
	if !r.running(now) {
		return f
	}
	if r.Replay != nil {
		end = min(end, r.Replay.Until)
	}
	left := end - now.Time
	switch s, tells := r.solver.(solvers.Stepper); {
	case r.size.Sweeps:
		f.Least, f.Likely, f.Most = left, left, left
	case tells:
		f.Least, f.Most = s.StepsTo(end)
		f.Likely = (f.Least + f.Most) / 2
	default:
		f.StepsOf(left, now.Dt)
	}
	if every := r.Case.Output.Every; every > 0 && len(r.Case.Output.Format) > 0 {
		f.Frames = math.Ceil(left / every)
		if r.Case.Output.ExactTimes {
			f.Most += f.Frames
		}
	}
	if limit := r.size.MaxSteps; limit > 0 {
		f.Limit(float64(limit - now.Steps))
	}
	for _, frames := range r.frames {
		f.Frame += frames.writeTime
	}
	return f
}

// stepTimer measures the steps of a run that has begun, until it is told how long the rest will take.
type stepTimer struct {
	told    bool
	begun   time.Time     // of the steps that count: the first ones take longer, and while a frame is written too
	steps   int           // then
	framing time.Duration // spent on frames until then
}

const (
	timerSpan  = time.Second     // steps are measured that long, at least
	timerAwait = 5 * time.Second // the frame of the start is waited for that long, at most
)

// reportTime tells, once, how long the rest of the run will take. Rank 0 calls it after each stretch of steps.
func (r *runner) reportTime(now solvers.Clock) error {
	p := &r.timer
	if p.told || r.Comm.Rank() != 0 || r.Progress.Out == nil {
		return nil
	}
	if p.begun.IsZero() {
		for _, f := range r.frames {
			if f.pending != nil && time.Since(r.loopBegun) < timerAwait {
				return nil
			}
		}
		if err := backend.Sync(r.Device); err != nil {
			return err
		}
		p.begun, p.steps, p.framing = time.Now(), now.Steps, r.framing
		return nil
	}
	if time.Since(p.begun) < timerSpan || now.Steps == p.steps {
		return nil
	}
	if err := backend.Sync(r.Device); err != nil {
		return err
	}
	took := time.Since(p.begun) - (r.framing - p.framing)
	f := r.estimateTime(took / time.Duration(now.Steps-p.steps))
	r.keepEstimate(f, now.Steps, (r.earlierLoops + time.Since(r.loopBegun)).Seconds())
	p.told = true
	fmt.Fprintf(r.progress, "%-16s still %v\n", "time estimate", f)
	least, _ := f.Wall()
	if left := r.TimeLimit - time.Since(r.started); r.TimeLimit > 0 && !f.Sweeps && least > left.Seconds() {
		fmt.Fprintf(r.progress, "%-16s that is more than --time-limit %v: the run will save its state and stop then, and go "+
			"on by the same command\n", "", r.TimeLimit)
	}
	return nil
}

// keepEstimate keeps what is estimated of the time, for the summary, where so many steps and seconds are over.
func (r *runner) keepEstimate(f *estimate.Time, taken int, wall float64) {
	if r.estimates == nil {
		r.estimates = &summary.Estimate{}
	}
	fewest, most := f.Steps()
	r.estimates.Steps = []float64{fewest + float64(taken), most + float64(taken)}
	least, longest := f.Wall()
	r.estimates.Wall = []float64{least + wall, longest + wall}
}

// What steps of a case that is only checked are taken for: all of them, and those that count.
const (
	probeLimit = 2 * time.Second
	probeTime  = 300 * time.Millisecond
)

// measureSteps takes some steps of a case that is checked, and tells how long a run of it will take. All ranks call it.
func (r *runner) measureSteps(ctx context.Context) error {
	frame, err := r.measureFrame(ctx)
	if err != nil {
		return err
	}
	begun, step, last, n := time.Now(), time.Duration(0), time.Duration(0), 1
	for done := false; !done && r.running(r.solver.Clock()); n *= 2 {
		before, at := r.solver.Clock().Steps, time.Now()
		if r.size.MaxSteps > 0 {
			n = min(n, r.size.MaxSteps-before)
		}
		done, err = r.solver.Advance(ctx, r.size.End, r.size.End, n)
		if err := errors.Join(err, backend.Sync(r.Device)); err != nil {
			return fmt.Errorf("%s: %w", r.positionText(), r.firstCause(ctx, err))
		}
		r.heartbeat()
		took := []float64{float64(time.Since(at)), float64(time.Since(begun))}
		if err := r.Comm.AllreduceFloat64(ctx, dist.Max, took); err != nil {
			return err
		}
		now := time.Duration(took[0]) / time.Duration(max(1, r.solver.Clock().Steps-before))
		if step = now; n > 2 { // others may have disturbed one stretch
			step = min(now, last)
		}
		last = now
		done = done || took[0] >= float64(probeTime) || took[1] >= float64(probeLimit)
	}
	taken := r.solver.Clock().Steps
	if taken == 0 {
		return nil
	}
	f := r.estimateTime(step)
	f.Add(float64(taken))
	f.Frame = frame
	r.keepEstimate(f, 0, 0)
	if r.Comm.Rank() == 0 && r.Progress.Out != nil {
		fmt.Fprintf(r.Progress.Out, "%-16s %v\n", "time estimate", f)
	}
	return nil
}

// measureFrame makes what is written of a frame, where that is an array of all cells, and writes it nowhere.
func (r *runner) measureFrame(ctx context.Context) (time.Duration, error) {
	begun := time.Now()
	for _, format := range r.Case.Output.Format {
		if file := r.builder.file(format); file == "" || file == recordFormat {
			continue
		}
		d, err := r.builder.piece(ctx, format)
		if err != nil {
			return 0, err
		}
		p, err := d.make()
		if err = errors.Join(err, d.close()); err != nil {
			return 0, err
		}
		if shared, ok := p.(piece.Shared); ok {
			if _, err := shared.Share(r.Case.Output.Compress); err != nil {
				return 0, err
			}
		}
	}
	return time.Since(begun), nil
}
