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
	r.begun, r.next = time.Now(), 1
	if r.from != nil {
		if err := r.resume(ctx); err != nil {
			return err
		}
		r.next, r.framed = r.from.Next, r.from.Framed
		r.earlier = time.Duration(r.from.Wall * float64(time.Second))
	}
	r.progress = progress.New(r.Progress, r.span())
	defer r.progress.Finish()
	if r.from == nil {
		if err := r.start(ctx); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(r.progress, "%-16s %s, from %s\n", "goes on", r.moment(r.from.time), r.checkpoint.Path)
	}
	now := r.solver.Clock()
	for done := false; !done && now.Time < r.size.End && (r.size.MaxSteps == 0 || now.Steps < r.size.MaxSteps); {
		var err error
		if done, err = r.step(ctx); err != nil {
			return err
		}
		now = r.solver.Clock()
		if !done && now.Time < r.size.End {
			if err := r.keep(ctx, now); err != nil {
				return err
			}
		}
	}
	if err := r.saved(ctx); err != nil {
		return err
	}
	if r.framed < now.Time {
		if err := r.frame(ctx, now.Time); err != nil {
			return err
		}
	}
	if every := r.rows(); every > 0 && now.Steps%every != 0 {
		if err := r.measure(ctx, now); err != nil {
			return err
		}
	}
	r.looped = r.earlier + time.Since(r.begun)
	return nil
}

// step takes some steps, and writes what is due after them.
func (r *runner) step(ctx context.Context) (done bool, err error) {
	until, every := r.size.End, r.Case.Output.Every
	if every > 0 {
		until = min(until, float64(r.next)*every)
	}
	steps := r.solver.Clock().Steps
	done, err = r.solver.Advance(ctx, until, min(r.stride(steps), r.left(steps)))
	now := r.solver.Clock()
	if err != nil {
		return false, fmt.Errorf("%s: %w", r.moment(now.Time), err)
	}
	r.progress.Step(now.Steps, now.Time, now.Dt)
	if err := r.record(ctx, now); err != nil {
		return false, err
	}
	if now.Time == until {
		if until < r.size.End {
			if err := r.frame(ctx, now.Time); err != nil {
				return false, err
			}
			r.framed = now.Time
		}
		r.next++
	}
	return done, nil
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

// where tells how far a run has come.
func (r *runner) where() string {
	now := r.solver.Clock()
	return fmt.Sprintf("%s, in step %d%s", r.moment(now.Time), now.Steps+1, r.lastFrame())
}

// lastFrame tells which frame was the last, as the end of a sentence.
func (r *runner) lastFrame() string {
	if len(r.frames) == 0 || r.frames[0].count == 0 {
		return ""
	}
	return fmt.Sprintf(" and frame %d", r.frames[0].count-1)
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

// start writes the frame and the rows of the start.
func (r *runner) start(ctx context.Context) error {
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
