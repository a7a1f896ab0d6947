package kernels

import "testing"

// TestStepsThatDoNotAdvanceStop: a step so short that the time stays as it is ends the run, but not a short last step.
func TestStepsThatDoNotAdvanceStop(t *testing.T) {
	for name, c := range map[string]struct {
		limit, until, pause float64
		stops, invalid      bool
	}{
		"ordinary":                {1e-3, 2, 0, false, false},
		"short":                   {1e-15, 2, 0, false, false},
		"too short":               {1e-17, 2, 0, true, true},
		"far too short":           {1e-300, 2, 1.5, true, true},
		"at the end":              {1e-17, 1, 0, true, false},
		"end within the step":     {1e-3, 1 + 1e-15, 0, false, false},
		"pause reached, as usual": {1e-3, 2, 1, true, false},
	} {
		clock := Clock[float64]{Time: 1, Limit: c.limit}
		clock.SetTarget(c.until, c.pause)
		if clock.Stop != c.stops || !(clock.Limit > 0) != c.invalid {
			t.Errorf("%s: stop %t, limit %g", name, clock.Stop, clock.Limit)
		}
	}
}
