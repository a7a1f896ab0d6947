package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestarts: a run goes on from its state and declared scalars alone, on any number of ranks: with steps whose
// lengths lag, at second order, with friction and open sides, while the bed rises, in both precisions.
func TestRestarts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		sets []string
	}{
		"wet":    {wet, nil},
		"lag":    {wet, []string{"physics.lagged_step=true", "physics.precision=float32"}},
		"dry":    {dry, []string{"physics.scheme=roe"}},
		"second": {given, []string{"physics.lagged_step=true"}},
		"forced": {forced, []string{"physics.order=2"}},
	} {
		t.Run(name, func(t *testing.T) { runtest.Restarts(t, c.text, []int{1, 6}, c.sets...) })
	}
}
