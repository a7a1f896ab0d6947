package problem

import (
	"context"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// halving is a solver whose sweeps halve the moves and go through a list of qualities.
type halving struct {
	sweeps, end int // the number of sweeps after which it ends by itself; 0 for never
	mean, worst []float64
}

func (s *halving) Sweeps() int { return s.sweeps }

func (s *halving) Ended() bool { return s.end > 0 && s.sweeps >= s.end }

func (s *halving) Diagnose(context.Context) (quality.Diagnostics, error) {
	return quality.Diagnostics{QualityMean: s.mean[s.sweeps], QualityMin: s.worst[s.sweeps]}, nil
}

// TestStopRules proves that each rule applies when it should, only at checks, and that the first one is reported.
func TestStopRules(t *testing.T) {
	for _, c := range []struct {
		stop   Stop
		reason StopRule
		sweeps int
		end    int
	}{
		{Stop{Every: 1}, AllSweeps, 8, 0},
		{Stop{Every: 1, Move: .1}, NothingMoves, 4, 0},
		{Stop{Every: 3, Move: .1}, NothingMoves, 6, 0},
		{Stop{Every: 1, Mean: .1}, GoodMean, 0, 0},
		{Stop{Every: 1, Mean: .6}, GoodMean, 3, 0},
		{Stop{Every: 2, Mean: .6}, GoodMean, 4, 0},
		{Stop{Every: 1, Worst: .25}, GoodWorst, 5, 0},
		{Stop{Every: 1, Mean: .7, Worst: .25}, GoodMean, 4, 0},
		{Stop{Every: 1, Advance: .02}, Converged, 6, 0},
		{Stop{Every: 4, Advance: .02}, AllSweeps, 8, 0}, // a rise of 0.01 a sweep is enough over four
		{Stop{Every: 1, Move: .1, Advance: .2}, Converged, 1, 0},
		{Stop{Every: 1}, Converged, 5, 5}, // the smoother ends by itself
	} {
		s := &halving{end: c.end, mean: []float64{.3, .4, .5, .6, .7, .71, .72, .73, .74},
			worst: []float64{.1, .1, .1, .1, .1, .3, .3, .3, .3}}
		before, err := s.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rules := newStopRules(c.stop, &before)
		for done, move := rules.rule != "", 1.; !done && s.sweeps < 8; {
			n := min(rules.untilCheck(s.sweeps), 8-s.sweeps)
			for range n {
				s.sweeps++
				move /= 2
			}
			if done, err = rules.check(t.Context(), s, move); err != nil {
				t.Fatal(err)
			}
		}
		if rules.reasonText() != string(c.reason) || s.sweeps != c.sweeps {
			t.Errorf("%+v: %q after %d sweeps, not %q after %d", c.stop, rules.reasonText(), s.sweeps, c.reason, c.sweeps)
		}
	}
}
