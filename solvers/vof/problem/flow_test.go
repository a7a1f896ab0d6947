package problem

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestVOFFactor proves that a factor cos(pi*t/period) has the effect of a period.
func TestVOFFactor(t *testing.T) {
	const psi = "psi='sin(pi*x)^2*sin(pi*y)^2/pi'"
	run := func(ranks int, velocity string) map[string]float64 {
		t.Helper()
		s, err := runtest.Run(t, swirl, ranks, 1, runtest.Local, t.TempDir(), "velocity={"+velocity+"}", "time={end=2}",
			"method.adaptive=true")
		if err != nil {
			t.Fatal(err)
		}
		s.Metrics["steps"] = float64(s.Steps)
		return s.Metrics
	}
	want := run(1, psi+", period=2")
	for _, ranks := range []int{1, 4} {
		got := run(ranks, psi+", factor='cos(pi*t/2)'")
		for key, v := range want {
			if math.Abs(got[key]-v) > 1e-9*math.Abs(v)+1e-12 {
				t.Errorf("%d ranks: %s = %g, with period %g", ranks, key, got[key], v)
			}
		}
	}
	if rest := run(2, psi+", factor=0"); rest["l1_error"] != 0 || rest["steps"] >= want["steps"] {
		t.Errorf("at rest: %v", rest)
	}
}

func TestVOFFactorsThatAreRefused(t *testing.T) {
	for set, want := range map[string]string{
		"velocity={u=0, v=0, factor='1 + t'}": "[velocity] factor: it is 1.002 at t = 0.002, its magnitude must not " +
			"exceed 1",
		"velocity={u=0, v=0, factor='1/(t - 2)'}": `[velocity] factor: it is -1.002`,
		"velocity={u=0, v=0, factor='log(t)/9'}":  `[velocity] factor: expression "log(t)/9" is infinite at`,
	} {
		_, err := runtest.Run(t, swirl, 3, 1, runtest.Local, t.TempDir(), set)
		var input *solvers.BadInput
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", set, err, want)
		}
	}
	// The factor is checked at sampled times before the run; an error in between ends the run: here in the middle of
	// the first of 40 steps.
	_, err := runtest.Run(t, swirl, 2, 1, runtest.Local, t.TempDir(), "time={end=1}",
		"method={advect='weymouth-yue'}",
		"velocity={u=0.5, v=0, factor='abs(t - 0.0125) < 1e-5 ? -3 : 1'}")
	var input *solvers.BadInput
	if err == nil || errors.As(err, &input) || !strings.Contains(err.Error(),
		"[velocity] factor: it is -3 at t = 0.0125") {
		t.Errorf("late: %v", err)
	}
}
