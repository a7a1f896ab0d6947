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
func (f *Time) SetSteps(remaining, dt float64) {
	f.Likely = max(1, math.Ceil(remaining/dt*(1-1e-6))) // round-off must not add a step
	f.Least, f.Most = fewerSteps*f.Likely, moreSteps*f.Likely
}

// Limit lowers the estimate for a run that ends after at most that many more steps.
func (f *Time) Limit(steps float64) {
	f.Frames *= min(1, steps/f.Likely) // frames are assumed to be evenly spaced over the steps
	f.Least, f.Likely, f.Most = min(f.Least, steps), min(f.Likely, steps), min(f.Most, steps)
}

// Add adds steps that were already taken, to estimate the whole run.
func (f *Time) Add(steps float64) {
	f.Least, f.Likely, f.Most = f.Least+steps, f.Likely+steps, f.Most+steps
}

// Wall returns bounds of the wall time in s. An error in the number of steps and one in the time per step are taken as
// independent: their relative deviations add as squares. Frames are written while steps go on, which costs nothing at
// best and their whole time at worst.
func (f *Time) Wall() (least, most float64) {
	combined := func(one, other float64) float64 { return 1 + math.Hypot(one-1, other-1) }
	likely := f.Step.Seconds() * f.Likely
	return likely / combined(f.Likely/f.Least, 1/fasterStep),
		likely*combined(f.Most/f.Likely, slowerStep) + f.Frames*f.Frame.Seconds() + fixedTime
}

// Steps returns bounds of the number of steps.
func (f *Time) Steps() (least, most float64) { return math.Floor(f.Least), math.Ceil(f.Most) }

func (f *Time) String() string {
	least, most := f.Wall()
	each := words.Duration(f.Step.Seconds())
	if f.Sweeps {
		return fmt.Sprintf("at most about %s: %s of %s each, fewer if a stopping criterion is met", words.Duration(most),
			words.Count(int64(f.Most), "sweep"), each)
	}
	text := "about " + words.DurationSpan(least, most)
	if most < 1 {
		text = "under 1 s"
	}
	text += fmt.Sprintf(": %s steps of %s each", words.CountSpan(f.Steps()), each)
	if n := int64(f.Frames); n > 0 && f.Frame == 0 {
		text += fmt.Sprintf(", plus %s", words.Count(n, "frame"))
	}
	return text
}
