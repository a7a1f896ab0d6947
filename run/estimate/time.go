package estimate

import (
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/internal/words"
)

// Time estimates how long the rest of a run will take, from a few steps that were timed.
type Time struct {
	Least, Likely, Most float64       // number of remaining steps
	Step                time.Duration // wall time of one step
	Frames              float64       // number of remaining frames
	Frame               time.Duration // wall time of one frame in all formats; 0 if not measured
	Sweeps              bool          // steps are sweeps, and a convergence criterion may end the run before the last
}

// Bounds of the mean wall time per step, relative to that of the first steps: an interface grows, rows of tables are
// written, other processes take processor time. Measured over whole runs of all solvers.
const fasterStep, slowerStep = 0.85, 1.7

// Bounds of the number of steps, relative to the number at the current dt, for a solver that is no Stepper: waves may
// become faster, for instance from water at rest, or slower.
const fewerSteps, moreSteps = 0.75, 1.6

// fixedTime is a bound of the time that a run takes besides its steps, in s: first launches of kernels on a GPU,
// opening files, first and last rows of tables. A run of a few milliseconds on an H200 took 0.05 s.
const fixedTime = 0.1

// SetSteps estimates the number of remaining steps from the remaining simulated time and the current dt, both in s.
func (t *Time) SetSteps(remaining, dt float64) {
	t.Likely = max(1, math.Ceil(remaining/dt*(1-1e-6))) // round-off must not add a step
	t.Least, t.Most = fewerSteps*t.Likely, moreSteps*t.Likely
}

// Limit lowers the estimate for a run that ends after at most that many more steps.
func (t *Time) Limit(steps float64) {
	t.Frames *= min(1, steps/t.Likely) // frames are assumed to be evenly spaced over the steps
	t.Least, t.Likely, t.Most = min(t.Least, steps), min(t.Likely, steps), min(t.Most, steps)
}

// Add adds steps that were already taken, to estimate the whole run.
func (t *Time) Add(steps float64) {
	t.Least, t.Likely, t.Most = t.Least+steps, t.Likely+steps, t.Most+steps
}

// Wall returns bounds of the wall time in s. An error in the number of steps and one in the time per step are taken as
// independent: their relative deviations add as squares. Frames are written while steps go on, which costs nothing at
// best and their whole time at worst.
func (t *Time) Wall() (least, most float64) {
	combined := func(one, other float64) float64 { return 1 + math.Hypot(one-1, other-1) }
	likely := t.Step.Seconds() * t.Likely
	return likely / combined(t.Likely/t.Least, 1/fasterStep),
		likely*combined(t.Most/t.Likely, slowerStep) + t.Frames*t.Frame.Seconds() + fixedTime
}

// Steps returns bounds of the number of steps.
func (t *Time) Steps() (least, most float64) { return math.Floor(t.Least), math.Ceil(t.Most) }

func (t *Time) String() string {
	least, most := t.Wall()
	each := words.Duration(t.Step.Seconds())
	if t.Sweeps {
		return fmt.Sprintf("at most about %s: %s of %s each, fewer if a stopping criterion is met", words.Duration(most),
			words.Count(int64(t.Most), "sweep"), each)
	}
	text := "about " + words.DurationSpan(least, most)
	if most < 1 {
		text = "under 1 s"
	}
	text += fmt.Sprintf(": %s steps of %s each", words.CountSpan(t.Steps()), each)
	if n := int64(t.Frames); n > 0 && t.Frame == 0 {
		text += fmt.Sprintf(", plus %s", words.Count(n, "frame"))
	}
	return text
}
