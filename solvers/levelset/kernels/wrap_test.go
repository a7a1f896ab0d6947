package kernels

import (
	"math"
	"testing"
)

// TestParticlesWrapAroundSeveralPeriods: with few cells along a periodic axis, particles are seeded and attracted
// several periods beyond it.
func TestParticlesWrapAroundSeveralPeriods(t *testing.T) {
	d := &Domain{Cells: [3]int32{3, 1, 3}, Hi: [3]int32{3, 1, 3}, Periodic: [3]bool{true, true, false}}
	for _, c := range []struct {
		axis        int
		x, want     float64
		destination int32
	}{{0, 2.5, 2.5, StaysInBlock}, {0, -.5, 2.5, StaysInBlock}, {0, -7, 2, StaysInBlock}, {0, 10.25, 1.25, StaysInBlock},
		{0, -1e-30, 0, StaysInBlock}, {1, -5.75, .25, StaysInBlock}, {1, 6.5, .5, StaysInBlock},
		{2, -.25, -.25, ChangesBlock}, {2, 2.75, 0, LeavesDomain}, {2, -4, 0, LeavesDomain},
		{0, 1e300, 0, LeavesDomain}, {0, math.NaN(), 0, LeavesDomain}} {
		x, destination := wrapCoordinate(d, c.axis, c.x)
		if destination != c.destination || destination != LeavesDomain && x != c.want {
			t.Errorf("axis %d, %g: %g, %d, want %g, %d", c.axis, c.x, x, destination, c.want, c.destination)
		}
	}
}
