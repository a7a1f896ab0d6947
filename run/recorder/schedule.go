package recorder

import (
	"math"
	"time"

	"github.com/atoll-hpc/atoll/solvers"
)

// Schedule is when a recorder writes. Conditions may be combined; without any it never writes. A schedule shortens no
// step unless it is Exact: what is due at a time is written at the first state that reaches it.
type Schedule struct {
	First   bool          // the initial state
	Every   float64       // at the start and at each multiple of this many seconds (of sweeps, without time); 0 for none
	Exact   bool          // steps end at the multiples of Every
	Steps   int           // at the start and after each multiple of this many steps; 0 for none
	Wall    time.Duration // when so much wall-clock time has passed on rank 0 since the last writing; 0 for none
	Last    bool          // the last state of the run, too, if it is not written yet
	Once    bool          // only after the last state, when all other output is complete
	AtPolls bool          // only where ranks poll each other, as they do at the multiples of Steps: not by the List

	from float64 // nothing is due before this time: a replay begins there
	next float64 // the next due multiple of Every
	last *Moment // when it has last written; nil for never
	wall time.Time
}

// Moment is a position in time of a run.
type Moment struct {
	Step int     `json:"step"`
	Time float64 `json:"t"`
}

// Progress is how far a schedule has come, as checkpoints store it.
type Progress struct {
	Every float64 `json:"every"` // interval of the schedule: with another one, Next means nothing
	Next  float64 `json:"next"`
	Last  *Moment `json:"last,omitempty"`
}

// EachStep returns the schedule of a table with a row at each multiple of an interval, or after each step if it is 0.
func EachStep(every float64) Schedule {
	if every == 0 {
		return Schedule{Steps: 1}
	}
	return Schedule{Every: every}
}

// Due reports whether a state must be written, as far as time and steps decide that.
func (s *Schedule) Due(now solvers.Clock) bool {
	bySteps := (s.First && now.Steps == 0 || s.Steps > 0 && now.Steps%s.Steps == 0) && !s.wroteAt(now)
	return s.Every > 0 && now.Time >= s.next || bySteps && now.Time >= s.from
}

// DueLast reports whether the last state must be written, and is not yet.
func (s *Schedule) DueLast(now solvers.Clock) bool {
	return s.Last && !s.wroteAt(now)
}

// wroteAt reports whether the state has been written, perhaps before the run was stopped there.
func (s *Schedule) wroteAt(now solvers.Clock) bool { return s.last != nil && s.last.Step == now.Steps }

// DueByWall reports, on rank 0, whether the wall-clock interval has passed.
func (s *Schedule) DueByWall(now time.Time) bool { return s.Wall > 0 && now.Sub(s.wall) >= s.Wall }

// StartWall starts the wall-clock interval.
func (s *Schedule) StartWall(now time.Time) { s.wall = now }

// Wrote says that a state is written, and finds when the next one is due.
func (s *Schedule) Wrote(now solvers.Clock) {
	s.last = &Moment{Step: now.Steps, Time: now.Time}
	if s.Every > 0 {
		s.next = firstMultiple(now.Time, s.Every, true)
	}
}

// Begin makes nothing due before a time: the first state that is written is the first one that reaches a multiple of
// Every, or of Steps, from there on.
func (s *Schedule) Begin(from float64) {
	s.from, s.next = from, from
	if s.Every > 0 {
		s.next = firstMultiple(from, s.Every, false)
	}
}

// Progress returns how far the schedule has come.
func (s *Schedule) Progress() Progress { return Progress{Every: s.Every, Next: s.next, Last: s.last} }

// Resume continues from a checkpoint at a moment. A schedule that the earlier run did not have, or that had another
// interval there, goes on with the next multiple of its own.
func (s *Schedule) Resume(p *Progress, now solvers.Clock) {
	if p == nil {
		p = &Progress{Every: math.NaN()}
	}
	s.last = p.Last
	if s.next = p.Next; s.Every > 0 && p.Every != s.Every {
		s.next = firstMultiple(now.Time, s.Every, true)
	}
}

// NextTime returns the time at which a state is due next, +Inf if none is by time.
func (s *Schedule) NextTime() float64 {
	if s.Every > 0 {
		return s.next
	}
	return math.Inf(1)
}

// StepsLeft returns how many steps may be taken before a state is due, math.MaxInt if none is by steps.
func (s *Schedule) StepsLeft(steps int) int {
	if s.Steps == 0 {
		return math.MaxInt
	}
	return s.Steps - steps%s.Steps
}

// firstMultiple returns the first multiple of an interval that is not before t, or after t.
func firstMultiple(t, every float64, after bool) (multiple float64) {
	n := math.Floor(t/every) - 1 // rounding makes the quotient at most one too small or too large
	for k := range 4 {
		if multiple = (n + float64(k)) * every; multiple > t || multiple == t && !after {
			break
		}
	}
	return multiple
}
