package problem

import "testing"

// TestEstimateOfTooManyRanks: the estimate of a grid without room for a block on each rank is an error, whether or not
// blocks could move.
func TestEstimateOfTooManyRanks(t *testing.T) {
	for _, every := range []string{"method.rebalance=0", "method.rebalance=24"} {
		c := parse(t, swirl, every)
		if _, err := estimate(c, 1, false); err != nil {
			t.Errorf("%s: one rank: %v", every, err)
		}
		if _, err := estimate(c, 1_000_000, false); err == nil {
			t.Errorf("%s: a million ranks: no error", every)
		}
	}
}
