package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// Reason is the rule by which smoothing ended.
type Reason string

const (
	AllSweeps    Reason = "sweeps"  // all sweeps were made
	Settled      Reason = "settled" // no vertex moves any more
	GoodMean     Reason = "mean quality reached"
	GoodWorst    Reason = "worst quality reached"
	NoMoreRising Reason = "quality rises no more"
)

// stopRules check a mesh every few sweeps, counted from the first, so that where a run ends does not depend on what
// is written in between.
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

// left is how many sweeps there are until the next check.
func (s *stopRules) left(sweeps int) int { return s.Every - sweeps%s.Every }

// check tells whether a rule applies, after a sweep in which no vertex moved farther than move, a length in the metric.
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

// checkQuality sets the reason if a quality that was asked for has been reached.
func (s *stopRules) checkQuality(d *quality.Diagnostics) {
	switch {
	case s.Mean > 0 && d.QualityMean >= s.Mean:
		s.reason = GoodMean
	case s.Worst > 0 && d.QualityMin >= s.Worst:
		s.reason = GoodWorst
	}
}

// why is the rule by which the run ended.
func (s *stopRules) why() string {
	if s.reason == "" {
		return string(AllSweeps)
	}
	return string(s.reason)
}
