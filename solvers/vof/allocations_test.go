//go:build !race

package vof

import (
	"testing"

	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestStepsAllocateNothing is not built with the race detector, under which sync.Pool drops items at random.
func TestStepsAllocateNothing(t *testing.T) {
	for _, p := range []problem{
		{grid: plane(24), body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 4),
			cfg: config("lvira", "weymouth-yue", .5)},
		{grid: space(12), body: shape.Ball(.35, .35, .35, .15), flow: namedFlow("enright", 3),
			cfg: config("myc", "weymouth-yue", .5)},
	} {
		err := p.run(func(_ int, s Solver) error {
			n := testing.AllocsPerRun(10, func() {
				if err := s.Step(ctx, 100); err != nil {
					t.Error(err)
				}
			})
			if n != 0 {
				t.Errorf("%v allocations a step", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
