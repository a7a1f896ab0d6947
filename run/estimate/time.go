package estimate

import (
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/internal/words"
)

// Time is how long the rest of a run will take, from steps that were measured.
type Time struct {
	Least, Likely, Most float64       // steps that are left
	Step                time.Duration // one of those measured
	Frames              float64       // that are left
	Frame               time.Duration // one of each series; 0 where none was measured
	Sweeps              bool          // rules may end the run before its last step
}

// Steps of the beginning are not those of the whole run: an interface grows, rows of tables are written, and a
// processor gets other work too. Steps of cases of all solvers took 0.85 to 1.7 times what the first ones did alone.
const fasterStep, slowerStep = 0.85, 1.7

// Where a solver does not tell how many steps there are, they are taken to be as long as the last one: waves may become
// faster, as those of water that is at rest at the start, or slower.
const fewerSteps, moreSteps = 0.75, 1.6

// Alike sets the steps to those that lead through a time if they are about as long as one was.
func (f *Time) Alike(left, dt float64) {
	f.Likely = max(1, math.Ceil(left/dt*(1-1e-6)))
	f.Least, f.Most = fewerSteps*f.Likely, moreSteps*f.Likely
}

// Limit is for runs that end after so many steps more.
func (f *Time) Limit(steps float64) {
	f.Frames *= min(1, steps/f.Likely) // about
	f.Least, f.Likely, f.Most = min(f.Least, steps), min(f.Likely, steps), min(f.Most, steps)
}

// Add counts steps that were taken already.
func (f *Time) Add(steps float64) {
	f.Least, f.Likely, f.Most = f.Least+steps, f.Likely+steps, f.Most+steps
}

// Wall is how long it takes in s, at least and at most, where steps do not become more and slower both. Frames are
// written beside steps, which may cost nothing or all.
func (f *Time) Wall() (least, most float64) {
	apart := func(one, other float64) float64 { return 1 + math.Hypot(one-1, other-1) }
	likely := f.Step.Seconds() * f.Likely
	return likely / apart(f.Likely/f.Least, 1/fasterStep),
		likely*apart(f.Most/f.Likely, slowerStep) + f.Frames*f.Frame.Seconds()
}

// Steps are how many there are, at least and at most.
func (f *Time) Steps() (least, most float64) { return math.Floor(f.Least), math.Ceil(f.Most) }

func (f *Time) String() string {
	least, most := f.Wall()
	each := words.Duration(f.Step.Seconds())
	if f.Sweeps {
		return fmt.Sprintf("at most about %s: %s of %s each, unless a rule ends the run before", words.Duration(most),
			words.Count(int64(f.Most), "sweep"), each)
	}
	text := fmt.Sprintf("about %s: %s steps of %s each", words.DurationSpan(least, most), words.CountSpan(f.Steps()), each)
	if n := int64(f.Frames); n > 0 && f.Frame == 0 {
		text += fmt.Sprintf(", and %s besides", words.Count(n, "frame"))
	}
	return text
}
