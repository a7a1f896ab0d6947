package run

import "testing"

// TestGaugeIsDueAtMultiples: rows come at the first step that reaches each multiple of the interval, also where a sum
// of intervals is another number than their multiple, and where steps are longer than an interval.
func TestGaugeIsDueAtMultiples(t *testing.T) {
	every := 0.1
	g := &gauge{every: every}
	for k := range 10000 {
		now := float64(k) * every // as frames are timed
		if !g.due(now) {
			t.Fatalf("no row is due at %d intervals, the next one at %v", k, g.next)
		}
		if g.schedule(now); g.due(now) {
			t.Fatalf("after the row of %d intervals another one is due at %v", k, g.next)
		}
	}
	if g.schedule(2000.05); g.next != 20001*every {
		t.Errorf("after t = 2000.05 the next row is due at %v", g.next)
	}
	tiny := &gauge{every: 1e-30} // below what the time can tell apart
	if tiny.schedule(1); !tiny.due(1 + 1e-9) {
		t.Errorf("the next row is due at %v", tiny.next)
	}
}
