package problem

import (
	"fmt"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestThinPeriodicDomain proves that a periodic domain of one or two cells across gives what a thicker one does, where
// all is the same along the axis, and the same state on several ranks; with particles, which cross the sides in every
// step, the same to their noise. No phase has a negative time.
func TestThinPeriodicDomain(t *testing.T) {
	for _, particles := range []string{"0", "16"} {
		var loss float64
		for _, cells := range []int{4, 2, 1} {
			var state string
			for _, ranks := range []int{1, 4} {
				s, err := runtest.Run(t, fmt.Sprintf(`solver = "level-set"
					grid = { bounds = [0, 0, 0, 1, 1, %g], cells = [24, 24, %d], periodic = ["z"] }
					initial = { shape = "cylinder(0.5, 0.6, 0.5, 0.2, 2)" }
					velocity = { u = "-(y - 0.5)", v = "x - 0.5", w = "0.9" }
					method = { particles = %s }
					time = { end = 0.5 }
					output = { format = [] }`, float64(cells)/24, cells, particles), ranks, 1, runtest.Local, t.TempDir())
				if err != nil {
					t.Fatalf("%d cells, %s particles, %d ranks: %v", cells, particles, ranks, err)
				}
				if ranks == 1 {
					state = s.StateSHA256
				}
				if cells == 4 && ranks == 1 {
					loss = s.Metrics["volume_loss"]
				}
				tolerance := map[string]float64{"0": 1e-12, "16": 0.01}[particles]
				if got := s.Metrics["volume_loss"]; s.StateSHA256 != state || !(math.Abs(got-loss) <= tolerance) {
					t.Errorf("%d cells, %s particles, %d ranks: loss %g, want %g; the same state: %t", cells, particles, ranks,
						got, loss, s.StateSHA256 == state)
				}
				for phase, seconds := range s.Phases {
					if seconds < 0 {
						t.Errorf("%s took %g s", phase, seconds)
					}
				}
			}
		}
	}
}
