package run

import "testing"

// TestGaugeIsDueAtMultiples checks that a row is due at the first step that reaches each multiple of the interval: also
// where adding intervals gives another number than multiplying, and where steps are longer than the interval.
func TestGaugeIsDueAtMultiples(t *testing.T) {
	every := 0.1
	g := &gauge{every: every}
	for k := range 10000 {
		now := float64(k) * every // as frames are timed
		if !g.due(now) {
			t.Fatalf("no row is due after %d intervals; the next is due at %v", k, g.next)
		}
		if g.schedule(now); g.due(now) {
			t.Fatalf("after the row at %d intervals another one is due at %v", k, g.next)
		}
	}
	if g.schedule(2000.05); g.next != 20001*every {
		t.Errorf("after t = 2000.05 the next row is due at %v, want 2000.1", g.next)
	}
	tiny := &gauge{every: 1e-30} // smaller than the spacing of floating-point times
	if tiny.schedule(1); !tiny.due(1 + 1e-9) {
		t.Errorf("no row is due after the step; the next is due at %v", tiny.next)
	}
}
