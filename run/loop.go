package run

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/run/progress"
)

// loop advances the case to its end.
func (r *runner) loop(ctx context.Context) error {
	d, every := r.driver, r.Case.Output.Every
	begin := time.Now()
	r.progress = progress.New(r.Progress, r.span())
	defer r.progress.Finish()
	if err := r.begin(ctx); err != nil {
		return err
	}
	t, steps, _ := d.clock()
	frame, framed := 1, 0.0
	var dt float64
	for done := false; !done && t < r.size.end && (r.size.maxSteps == 0 || steps < r.size.maxSteps); {
		until := r.size.end
		if every > 0 {
			until = min(until, float64(frame)*every)
		}
		var err error
		done, err = d.advance(ctx, until, r.stride(steps))
		if t, steps, dt = d.clock(); err != nil {
			return fmt.Errorf("%s: %w", r.moment(t), err)
		}
		r.progress.Step(steps, t, dt)
		if err := r.record(ctx, t, steps, dt); err != nil {
			return err
		}
		if t == until {
			if until < r.size.end {
				if err := r.frame(ctx, t); err != nil {
					return err
				}
				framed = t
			}
			frame++
		}
	}
	if framed < t {
		if err := r.frame(ctx, t); err != nil {
			return err
		}
	}
	if every := r.Case.Output.ConservationEvery; every > 0 && steps%every != 0 {
		if err := r.measure(ctx, t, steps, dt); err != nil {
			return err
		}
	}
	r.looped = time.Since(begin)
	return nil
}

// span is what the progress is measured by.
func (r *runner) span() progress.Run {
	p := progress.Run{Cells: r.size.cells, End: r.size.end, MaxSteps: r.size.maxSteps}
	if r.size.sweeps {
		if p.MaxSteps == 0 || r.size.end < float64(p.MaxSteps) {
			p.MaxSteps = int(r.size.end)
		}
		p.End = 0
	}
	return p
}

// moment names a time.
func (r *runner) moment(t float64) string {
	if r.size.sweeps {
		return fmt.Sprintf("after %g sweeps", t)
	}
	return fmt.Sprintf("at t = %g s", t)
}

// stride is how many steps may pass before the runner must look at the state.
func (r *runner) stride(steps int) int {
	n := math.MaxInt
	if r.size.maxSteps > 0 {
		n = r.size.maxSteps - steps
	}
	if every := r.Case.Output.ConservationEvery; every > 0 {
		n = min(n, every-steps%every)
	}
	if len(r.Case.Gauges) > 0 { // which may be another rank's: all make the same calls
		n = 1
	}
	return n
}

// begin writes the frame and the rows of the start.
func (r *runner) begin(ctx context.Context) error {
	if err := r.frame(ctx, 0); err != nil {
		return err
	}
	if err := r.sample(ctx, 0); err != nil {
		return err
	}
	return r.measure(ctx, 0, 0, 0)
}

// record writes what is due after a step.
func (r *runner) record(ctx context.Context, t float64, steps int, dt float64) error {
	if err := r.sample(ctx, t); err != nil {
		return err
	}
	if every := r.Case.Output.ConservationEvery; every == 0 || steps%every != 0 {
		return nil
	}
	return r.measure(ctx, t, steps, dt)
}

// measure adds a row to the ledger.
func (r *runner) measure(ctx context.Context, t float64, steps int, dt float64) error {
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	now, err := r.driver.report(ctx)
	if err != nil || r.ledger == nil {
		return err
	}
	return r.ledger.record(steps, t, dt, now.table)
}

// frame adds the state to each series of frames.
func (r *runner) frame(ctx context.Context, t float64) error {
	if len(r.frames) == 0 {
		return nil
	}
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	for _, f := range r.frames {
		p, err := r.driver.frame(ctx, f.format)
		if err != nil {
			return err
		}
		if err := f.write(ctx, t, p); err != nil {
			return err
		}
	}
	return nil
}
