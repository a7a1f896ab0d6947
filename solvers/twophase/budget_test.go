package twophase

import "testing"

// TestPassedAddsUp: what passes a side in many steps is added without rounding, in both directions and beyond what
// units of 2^-40 of a cell can count in 64 bits.
func TestPassedAddsUp(t *testing.T) {
	for _, c := range []struct {
		step  int64
		steps int
		want  float64
	}{{1, 3, 3 * 0x1p-40}, {-1, 3, -3 * 0x1p-40}, {1 << 39, 5, 2.5}, {-1 << 39, 5, -2.5}, {1 << 60, 100, 100 << 20},
		{-1 << 60, 100, -100 << 20}, {1<<40 - 1, 1 << 20, 1<<20 - 0x1p-20}} {
		var q passed
		for range c.steps {
			q.add(c.step)
		}
		if got := q.cells(); got != c.want || q.part < 0 || q.part >= 1<<40 {
			t.Errorf("%d times %d: %g cells, want %g", c.steps, c.step, got, c.want)
		}
	}
}
