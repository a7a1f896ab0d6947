package run

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/solvers"
)

// loop advances the case to its end.
func (r *runner) loop(ctx context.Context) error {
	d, every := r.solver, r.Case.Output.Every
	begin := time.Now()
	r.progress = progress.New(r.Progress, r.span())
	defer r.progress.Finish()
	if err := r.begin(ctx); err != nil {
		return err
	}
	now := d.Clock()
	now.Dt = 0
	frame, framed := 1, 0.0
	for done := false; !done && now.Time < r.size.End && (r.size.MaxSteps == 0 || now.Steps < r.size.MaxSteps); {
		until := r.size.End
		if every > 0 {
			until = min(until, float64(frame)*every)
		}
		var err error
		done, err = d.Advance(ctx, until, r.stride(now.Steps))
		if now = d.Clock(); err != nil {
			return fmt.Errorf("%s: %w", r.moment(now.Time), err)
		}
		r.progress.Step(now.Steps, now.Time, now.Dt)
		if err := r.record(ctx, now); err != nil {
			return err
		}
		if now.Time == until {
			if until < r.size.End {
				if err := r.frame(ctx, now.Time); err != nil {
					return err
				}
				framed = now.Time
			}
			frame++
		}
	}
	if framed < now.Time {
		if err := r.frame(ctx, now.Time); err != nil {
			return err
		}
	}
	if every := r.rows(); every > 0 && now.Steps%every != 0 {
		if err := r.measure(ctx, now); err != nil {
			return err
		}
	}
	r.looped = time.Since(begin)
	return nil
}

// rows is how many steps there are between rows of the ledger, 0 where it is not kept.
func (r *runner) rows() int {
	if r.Report != nil {
		return 0
	}
	return r.Case.Output.ConservationEvery
}

// span is what the progress is measured by.
func (r *runner) span() progress.Run {
	p := progress.Run{Cells: r.size.Entities, End: r.size.End, MaxSteps: r.size.MaxSteps}
	if r.size.Sweeps {
		if p.MaxSteps == 0 || r.size.End < float64(p.MaxSteps) {
			p.MaxSteps = int(r.size.End)
		}
		p.End = 0
	}
	return p
}

// moment names a time.
func (r *runner) moment(t float64) string {
	if r.size.Sweeps {
		return fmt.Sprintf("after %g sweeps", t)
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

// position tells how far a run has come.
func (r *runner) position() string {
	now := r.solver.Clock()
	where := fmt.Sprintf("%s, in step %d", r.moment(now.Time), now.Steps+1)
	if len(r.frames) > 0 && r.frames[0].count > 0 {
		where += fmt.Sprintf(", after frame %d", r.frames[0].count-1)
	}
	return where
}

// stride is how many steps may pass before the runner must look at the state.
func (r *runner) stride(steps int) int {
	n := math.MaxInt
	if r.size.MaxSteps > 0 {
		n = r.size.MaxSteps - steps
	}
	if every := r.rows(); every > 0 {
		n = min(n, every-steps%every)
	}
	if len(r.Case.Gauges) > 0 { // which may be another rank's: all make the same calls
		n = 1
	}
	return n
}

// begin writes the frame and the rows of the start.
func (r *runner) begin(ctx context.Context) error {
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
	if err := r.sample(ctx, now.Time); err != nil {
		return err
	}
	if every := r.rows(); every == 0 || now.Steps%every != 0 {
		return nil
	}
	return r.measure(ctx, now)
}

// measure adds a row to the ledger.
func (r *runner) measure(ctx context.Context, now solvers.Clock) error {
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	table, err := r.totals.Measure(ctx, r.solver)
	if err != nil || r.ledger == nil {
		return err
	}
	return r.ledger.record(now, table)
}

// frame adds the state to each series of frames.
func (r *runner) frame(ctx context.Context, t float64) error {
	if len(r.frames) == 0 {
		return nil
	}
	begin := time.Now()
	defer func() { r.output += time.Since(begin) }()
	for _, f := range r.frames {
		p, err := r.drawer.piece(ctx, f.format)
		if err != nil {
			return err
		}
		if err := f.write(ctx, t, p); err != nil {
			return err
		}
	}
	return nil
}
