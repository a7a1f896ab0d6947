package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// loop advances the case to its end. After each call of Advance it asks the recorders what is due.
func (r *runner) loop(ctx context.Context) error {
	r.loopBegun, r.loopProcessor = time.Now(), summary.ProcessorTime()
	if r.rows != nil {
		if err := r.rows.Create(ctx); err != nil {
			return err
		}
	}
	r.heartbeat()
	if err := r.restore(ctx); err != nil {
		return err
	}
	r.heartbeat()
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
		if err := remesh(ctx, r); err != nil {
			return err
		}
		if err := rebalance(ctx, r); err != nil {
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
		if err := errors.Join(r.forecast.report(now), r.control.poll(ctx, now)); err != nil {
			return err
		}
	}
	if err := r.awaitOrder(ctx, now, true); err != nil {
		return err
	}
	r.heartbeat()
	if err := r.list.End(ctx, now); err != nil {
		return err
	}
	r.loopTime, r.loopProcessor = r.loopWall(), summary.ProcessorTime()-r.loopProcessor
	if !r.Watched {
		return nil
	}
	return r.view.Write(ctx, now, true)
}

// loopWall returns the wall-clock time of the loop over steps so far, with that before a restart.
func (r *runner) loopWall() time.Duration { return r.earlierLoops + time.Since(r.loopBegun) }

// running reports whether the end of the run has not been reached.
func (r *runner) running(now solvers.Clock) bool {
	return now.Time < r.size.End && (r.size.MaxSteps == 0 || now.Steps < r.size.MaxSteps) &&
		(r.Replay == nil || now.Time < r.Replay.Until)
}

// step takes some steps, then writes the output that is due. Output does not shorten steps, so it does not change
// results; only the end of the run does, and frames with exact_times.
func (r *runner) step(ctx context.Context) (done bool, err error) {
	steps := r.solver.Clock().Steps
	until, pause, n := r.list.Limits(steps)
	until = min(until, r.size.End)
	if r.Replay != nil {
		pause = min(pause, r.Replay.Until)
	}
	if r.size.MaxSteps > 0 {
		n = min(n, r.size.MaxSteps-steps)
	}
	until, n = r.driver.Limit(until, min(n, r.control.stepsToPoll(steps)))
	done, err = r.solver.Advance(ctx, until, pause, n)
	now := r.solver.Clock()
	if err != nil {
		return false, fmt.Errorf("%s: %w", r.timeText(now.Time), r.firstCause(ctx, err))
	}
	if r.firstStepTime == 0 && !r.ProcessStart.IsZero() {
		r.firstStepTime = time.Since(r.ProcessStart)
	}
	r.heartbeat()
	r.progress.Step(now.Steps, now.Time, now.Dt)
	r.Watch.Step(now)
	return done, r.list.Step(ctx, now, done || !r.running(now))
}

// restore restores the state of a checkpoint, if the run continues from one, with its mesh.
func (r *runner) restore(ctx context.Context) error {
	if err := resumeDivision(ctx, r); err != nil {
		return err
	}
	if err := r.origin.restore(ctx, r.solver, r.inputs); err != nil {
		return err
	}
	if _, changes := r.solver.(solvers.Remesher); !changes || r.origin.checkpoint == nil {
		return nil
	}
	r.size.Entities = r.solver.Size().Entities
	return r.list.Remeshed(ctx)
}

// remesh lets the solver change its mesh, if it wants to, when all output of the state on the old one is written.
func remesh(ctx context.Context, r *runner) error {
	s, ok := r.solver.(solvers.Remesher)
	if !ok || !s.RemeshDue() {
		return nil
	}
	if err := r.list.Settle(ctx); err != nil {
		return err
	}
	changed, err := s.Remesh(ctx)
	if err != nil || !changed {
		return err
	}
	r.heartbeat()
	r.size.Entities = s.Size().Entities
	return r.list.Remeshed(ctx)
}

// firstCause returns err, joined with an earlier error of a pending row if there is one. With several ranks it returns
// err: finishing rows could deadlock while the others wait elsewhere.
func (r *runner) firstCause(ctx context.Context, err error) error {
	if r.Comm.Size() > 1 || ctx.Err() != nil {
		return err
	}
	if earlier := r.rows.Settle(ctx); earlier != nil {
		return errors.Join(earlier, err)
	}
	return err
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
	return fmt.Sprintf("%s, in step %d%s", r.timeText(now.Time), now.Steps+1, r.frames.Last())
}

// start writes what is due of the state before the first step: all of it if the run begins, nothing if it continues
// from a checkpoint.
func (r *runner) start(ctx context.Context) error {
	now := r.solver.Clock()
	if now.Steps == 0 {
		now.Dt = 0 // no step has been taken: its length, if there is one, is that of the next
	}
	if at := r.origin.position; at != nil {
		r.earlierLoops = time.Duration(at.Wall * float64(time.Second))
		if r.control != nil {
			r.control.start(now.Steps)
		}
		fmt.Fprintf(r.progress, "%-16s %s, from %s\n", "continues", r.timeText(at.Clock.Time), r.origin.checkpoint.Path)
		r.Watch.LogRestart(r.restartText())
	}
	if r.Replay != nil {
		r.list.Skip(r.Replay.From)
	}
	return r.list.Start(ctx, now)
}
