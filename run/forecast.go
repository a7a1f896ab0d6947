package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// forecast is how long the rest of a run will take, from steps that were measured.
type forecast struct {
	least, likely, most float64       // steps that are left
	step                time.Duration // one of those measured
	frames              float64       // that are left
	frame               time.Duration // one of each series; 0 where none was measured
	sweeps              bool          // rules may end the run before its last step
}

// Steps of the beginning are not those of the whole run: an interface grows, and a processor gets other work too. Six
// cases of all solvers took 0.8 to 1.4 times what their first steps made one think.
const fasterStep, slowerStep = 0.8, 1.4

// Where a solver does not tell how many steps there are, they are taken to be as long as the last one: waves may become
// faster, as those of water that is at rest at the start, or slower.
const fewerSteps, moreSteps = 0.75, 1.6

// foretell is what is left of the run, where a step takes so long.
func (r *runner) foretell(step time.Duration) *forecast {
	now, end := r.solver.Clock(), r.size.End
	f := &forecast{step: step, sweeps: r.size.Sweeps}
	if !r.before(now) {
		return f
	}
	if r.Replay != nil {
		end = min(end, r.Replay.Until)
	}
	left := end - now.Time
	switch s, tells := r.solver.(solvers.Stepper); {
	case r.size.Sweeps:
		f.least, f.likely, f.most = left, left, left
	case tells:
		f.least, f.most = s.StepsTo(end)
		f.likely = (f.least + f.most) / 2
	default:
		f.likely = max(1, math.Ceil(left/now.Dt*(1-1e-6)))
		f.least, f.most = fewerSteps*f.likely, moreSteps*f.likely
	}
	if every := r.Case.Output.Every; every > 0 && len(r.Case.Output.Format) > 0 {
		f.frames = math.Ceil(left / every)
		if r.Case.Output.ExactTimes {
			f.most += f.frames
		}
	}
	if limit := r.size.MaxSteps; limit > 0 {
		most := float64(limit - now.Steps)
		f.frames *= min(1, most/f.likely) // about
		f.least, f.likely, f.most = min(f.least, most), min(f.likely, most), min(f.most, most)
	}
	for _, frames := range r.frames {
		f.frame += frames.took
	}
	return f
}

// after is the forecast of a run of which so many steps and seconds are behind it.
func (f forecast) after(steps, wall float64) *summary.Foreseen {
	least, most := f.wall()
	return &summary.Foreseen{Steps: []float64{steps + math.Floor(f.least), steps + math.Ceil(f.most)},
		Wall: []float64{wall + least, wall + most}}
}

// wall is how long it takes in s, at least and at most, where steps do not become more and slower both. Frames are
// written beside steps, which may cost nothing or all.
func (f *forecast) wall() (least, most float64) {
	apart := func(one, other float64) float64 { return math.Exp(math.Hypot(math.Log(one), math.Log(other))) }
	likely := f.step.Seconds() * f.likely
	return likely / apart(f.likely/f.least, fasterStep),
		likely*apart(f.most/f.likely, slowerStep) + f.frames*f.frame.Seconds()
}

func (f *forecast) String() string {
	least, most := f.wall()
	each := words.Duration(f.step.Seconds())
	if f.sweeps {
		return fmt.Sprintf("at most about %s: %s of %s each, unless a rule ends the run before", words.Duration(most),
			words.Count(int64(f.most), "sweep"), each)
	}
	text := fmt.Sprintf("about %s: %s steps of %s each", words.DurationSpan(least, most),
		words.CountSpan(math.Floor(f.least), math.Ceil(f.most)), each)
	if n := int64(f.frames); n > 0 && f.frame == 0 {
		text += fmt.Sprintf(", and %s besides", words.Count(n, "frame"))
	}
	return text
}

// pace measures the steps of a run that has begun, until it is told how long the rest will take.
type pace struct {
	told    bool
	begun   time.Time     // of the steps that count: the first ones take longer, and while a frame is written too
	steps   int           // then
	framing time.Duration // spent on frames until then
}

const (
	paceOver  = time.Second     // steps are measured that long, at least
	paceAwait = 5 * time.Second // the frame of the start is waited for that long, at most
)

// tellTime tells, once, how long the rest of the run will take. Rank 0 calls it after each stretch of steps.
func (r *runner) tellTime(now solvers.Clock) error {
	p := &r.pace
	if p.told || r.Comm.Rank() != 0 || r.Progress.Out == nil {
		return nil
	}
	if p.begun.IsZero() {
		for _, f := range r.frames {
			if !f.drawn() && time.Since(r.begun) < paceAwait {
				return nil
			}
		}
		if err := backend.Sync(r.Device); err != nil {
			return err
		}
		p.begun, p.steps, p.framing = time.Now(), now.Steps, r.framing
		return nil
	}
	if time.Since(p.begun) < paceOver || now.Steps == p.steps {
		return nil
	}
	if err := backend.Sync(r.Device); err != nil {
		return err
	}
	took := time.Since(p.begun) - (r.framing - p.framing)
	f := r.foretell(took / time.Duration(now.Steps-p.steps))
	r.foresees(f.after(float64(now.Steps), (r.earlier + time.Since(r.begun)).Seconds()))
	p.told = true
	fmt.Fprintf(r.progress, "%-16s still %v\n", "time foreseen", f)
	least, _ := f.wall()
	if left := r.TimeLimit - time.Since(r.started); r.TimeLimit > 0 && !f.sweeps && least > left.Seconds() {
		fmt.Fprintf(r.progress, "%-16s that is more than --time-limit %v: the run will save its state and stop then, and go on "+
			"by the same command\n", "", r.TimeLimit)
	}
	return nil
}

// foresees keeps what is foreseen of the time, for the summary.
func (r *runner) foresees(of *summary.Foreseen) {
	if r.foreseen == nil {
		r.foreseen = &summary.Foreseen{}
	}
	r.foreseen.Steps, r.foreseen.Wall = of.Steps, of.Wall
}

// What steps of a case that is only checked are taken for: all of them, and those that count.
const (
	tryAll  = 2 * time.Second
	tryOver = 300 * time.Millisecond
)

// try takes some steps of a case that is checked, and tells how long a run of it will take. All ranks call it.
func (r *runner) try(ctx context.Context) error {
	frame, err := r.tryFrame(ctx)
	if err != nil {
		return err
	}
	begun, step, last, n := time.Now(), time.Duration(0), time.Duration(0), 1
	for done := false; !done && r.before(r.solver.Clock()); n *= 2 {
		before, at := r.solver.Clock().Steps, time.Now()
		if r.size.MaxSteps > 0 {
			n = min(n, r.size.MaxSteps-before)
		}
		done, err = r.solver.Advance(ctx, r.size.End, r.size.End, n)
		if err := errors.Join(err, backend.Sync(r.Device)); err != nil {
			return fmt.Errorf("%s: %w", r.where(), r.firstCause(ctx, err))
		}
		r.sign()
		took := []float64{float64(time.Since(at)), float64(time.Since(begun))}
		if err := r.Comm.AllreduceFloat64(ctx, dist.Max, took); err != nil {
			return err
		}
		now := time.Duration(took[0]) / time.Duration(max(1, r.solver.Clock().Steps-before))
		if step = now; n > 2 { // others may have disturbed one stretch
			step = min(now, last)
		}
		last = now
		done = done || took[0] >= float64(tryOver) || took[1] >= float64(tryAll)
	}
	taken := float64(r.solver.Clock().Steps)
	if taken == 0 {
		return nil
	}
	f := r.foretell(step)
	f.least, f.likely, f.most, f.frame = f.least+taken, f.likely+taken, f.most+taken, frame
	r.foresees(f.after(0, 0))
	if r.Comm.Rank() == 0 && r.Progress.Out != nil {
		fmt.Fprintf(r.Progress.Out, "%-16s %v\n", "time foreseen", f)
	}
	return nil
}

// tryFrame makes what is written of a frame, where that is an array of all cells, and writes it nowhere.
func (r *runner) tryFrame(ctx context.Context) (time.Duration, error) {
	begun := time.Now()
	for _, format := range r.Case.Output.Format {
		if file := r.drawer.file(format); file == "" || file == recordFormat {
			continue
		}
		p, err := r.drawer.piece(ctx, format)
		if err != nil {
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
