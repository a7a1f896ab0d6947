package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// Reason is the rule that ended a run.
type Reason string

const (
	AllSweeps    Reason = "sweeps"  // all sweeps have been made
	Settled      Reason = "settled" // no vertex moves
	GoodMean     Reason = "mean quality reached"
	GoodWorst    Reason = "worst quality reached"
	NoMoreRising Reason = "quality rises no more"
)

// stopRules check a mesh every few sweeps, counted from the start, so that the end of a run does not depend on its
// output.
type stopRules struct {
	Stop
	last   quality.Diagnostics // at the last check
	reason Reason
}

func newStopRules(r Stop, before *quality.Diagnostics) *stopRules {
	s := &stopRules{Stop: r, last: *before}
	s.checkQuality(before)
	return s
}

// untilCheck returns the number of sweeps until the next check.
func (s *stopRules) untilCheck(sweeps int) int { return s.Every - sweeps%s.Every }

// check reports whether a rule applies after a sweep in which the longest move, in the metric, was move.
func (s *stopRules) check(ctx context.Context, solver smooth.Solver, move float64) (bool, error) {
	if solver.Ended() {
		s.reason = NoMoreRising
		return true, nil
	}
	if solver.Sweeps()%s.Every != 0 {
		return false, nil
	}
	if move <= s.Move {
		s.reason = Settled
		return true, nil
	}
	if s.Mean == 0 && s.Worst == 0 && s.Advance == 0 {
		return false, nil
	}
	d, err := solver.Diagnose(ctx)
	if err != nil {
		return false, err
	}
	s.checkQuality(&d)
	if s.reason == "" && s.Advance > 0 && !d.Improved(&s.last, s.Advance) {
		s.reason = NoMoreRising
	}
	s.last = d
	return s.reason != "", nil
}

// checkQuality sets the reason if a requested quality has been reached.
func (s *stopRules) checkQuality(d *quality.Diagnostics) {
	switch {
	case s.Mean > 0 && d.QualityMean >= s.Mean:
		s.reason = GoodMean
	case s.Worst > 0 && d.QualityMin >= s.Worst:
		s.reason = GoodWorst
	}
}

// reasonText returns the rule that ended the run.
func (s *stopRules) reasonText() string {
	if s.reason == "" {
		return string(AllSweeps)
	}
	return string(s.reason)
}
