package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// StopRule is the rule that ended a run, as reports and the summary name it.
type StopRule string

const (
	AllSweeps    StopRule = "sweeps"  // all sweeps have been made
	NothingMoves StopRule = "settled" // no vertex moved by more than Stop.Move
	GoodMean     StopRule = "mean quality reached"
	GoodWorst    StopRule = "worst quality reached"
	Converged    StopRule = "quality rises no more"
)

// stopRules check a mesh every few sweeps, counted from the start, so that the end of a run does not depend on its
// output.
type stopRules struct {
	Stop
	lastCheck quality.Diagnostics // those of the last check, or of the initial mesh
	rule      StopRule            // the rule that applied, "" before
}

func newStopRules(r Stop, before *quality.Diagnostics) *stopRules {
	s := &stopRules{Stop: r, lastCheck: *before}
	s.checkQuality(before)
	return s
}

// untilCheck returns the number of sweeps until the next check.
func (s *stopRules) untilCheck(sweeps int) int { return s.Every - sweeps%s.Every }

// checkedSolver is what rules need of a solver.
type checkedSolver interface {
	Ended() bool
	Sweeps() int
	Diagnose(ctx context.Context) (quality.Diagnostics, error)
}

// check reports whether a rule applies after a sweep in which the longest move, in the metric, was move.
func (s *stopRules) check(ctx context.Context, solver checkedSolver, move float64) (bool, error) {
	if solver.Ended() {
		s.rule = Converged
		return true, nil
	}
	if solver.Sweeps()%s.Every != 0 {
		return false, nil
	}
	if move <= s.Move {
		s.rule = NothingMoves
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
	if s.rule == "" && s.Advance > 0 && !d.Improved(&s.lastCheck, s.Advance) {
		s.rule = Converged
	}
	s.lastCheck = d
	return s.rule != "", nil
}

// checkQuality sets the rule if a requested quality has been reached.
func (s *stopRules) checkQuality(d *quality.Diagnostics) {
	switch {
	case s.Mean > 0 && d.QualityMean >= s.Mean:
		s.rule = GoodMean
	case s.Worst > 0 && d.QualityMin >= s.Worst:
		s.rule = GoodWorst
	}
}

// reasonText returns the rule that ended the run.
func (s *stopRules) reasonText() string {
	if s.rule == "" {
		return string(AllSweeps)
	}
	return string(s.rule)
}
