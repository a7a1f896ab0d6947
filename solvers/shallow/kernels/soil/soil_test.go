package soil

import (
	"math"
	"testing"
)

// TestDecayed: 1 - exp(-x) has few wrong bits for any x.
func TestDecayed(t *testing.T) {
	for _, x := range []float64{0, 1e-300, 1e-9, .01, .124, .125, .126, 1, 5, 30, 39, 41, 1e9} {
		if got, want := decayed(x), -math.Expm1(-x); math.Abs(got-want) > 1e-14*want {
			t.Errorf("1 - exp(-%g) is %.17g, want %.17g", x, got, want)
		}
	}
}

// TestHortonHasNoSteps: what soil under water takes does not depend on how the time is divided into steps, and is that
// of Horton's formula; where less water is there, the time of the formula advances less.
func TestHortonHasNoSteps(t *testing.T) {
	for _, c := range []struct{ first, last, decay float64 }{{3e-5, 3e-6, 1e-3}, {1e-4, 0, 2e-3}, {5e-6, 5e-6, 1e-3},
		{1e-3, 1e-9, .1}, {1, 1e-12, 1}} {
		s := Soil[float64]{Rate: c.last, Depth: (c.first - c.last) / c.decay, Scale: c.decay}
		total := func(t float64) float64 {
			return c.last*t + (c.first-c.last)/c.decay*-math.Expm1(-c.decay*t)
		}
		for _, steps := range []int{1, 10, 1000} {
			end, taken := 5000.0, 0.0
			for range steps {
				taken += s.Infiltration(Horton, taken, 0, end/float64(steps), 0, 0)
			}
			if want := total(end); math.Abs(taken-want) > 1e-9*want {
				t.Errorf("%+v, %d steps: %.12g m, want %.12g", c, steps, taken, want)
			}
		}
		// Rain of half the first rate is all taken until the rate has fallen to it; then the formula goes on from there.
		rain, taken, dt := c.first/2, 0.0, .02/c.decay
		if rain <= c.last {
			continue
		}
		pond := math.Log((c.first-c.last)/(rain-c.last)) / c.decay // of the formula
		for range 500 {
			taken += math.Min(s.Infiltration(Horton, taken, 0, dt, 0, 0), rain*dt)
		}
		since := 500*dt - total(pond)/rain
		if want := total(pond + since); math.Abs(taken-want) > 1e-3*want {
			t.Errorf("%+v, rain: %.12g m, want %.12g", c, taken, want)
		}
	}
}
