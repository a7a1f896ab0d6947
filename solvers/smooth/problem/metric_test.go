package problem

import (
	"fmt"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestSmoothTellsOffGrid proves that the reported error of a metric on a grid falls with the square of the spacing
// where it is smooth, stays at a discontinuity, and is 0 if the grid represents it or there is no grid.
func TestSmoothTellsOffGrid(t *testing.T) {
	few := samplesPerAxis
	samplesPerAxis = samplesInRuns
	defer func() { samplesPerAxis = few }()
	off := func(t *testing.T, ranks int, mesh, metric string) float64 {
		t.Helper()
		s, err := runtest.Run(t, wavy, ranks, 1, runtest.Local, t.TempDir(), "mesh="+mesh, "metric="+metric)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := s.Metrics["metric_off_grid"]
		if !ok {
			t.Fatal("the summary does not have it")
		}
		return got
	}
	for name, c := range map[string]struct{ mesh, smooth string }{
		"plane": {"{generate='delaunay', bounds=[0,0,1,1], cells=200}",
			"width='0.1+0.05*sin(4*x)', height='0.1+0.1*x*y', angle='50*x*y'"},
		"space": {"{generate='box', bounds=[0,0,0,1,1,1], cells=300}",
			"width='0.1+0.05*sin(4*x)', height='0.1+0.1*x*y', depth='0.2+0.1*z*x'"},
	} {
		t.Run(name, func(t *testing.T) {
			last := math.Inf(1)
			for _, n := range []int{16, 32, 64} {
				got := off(t, 1, c.mesh, fmt.Sprintf("{%s, samples=%d}", c.smooth, n))
				if !(got > 0 && got < .3*last) {
					t.Errorf("%d samples: off by %g, after %g", n, got, last)
				}
				last = got
			}
			if again := off(t, 2, c.mesh, fmt.Sprintf("{%s, samples=64}", c.smooth)); again != last {
				t.Errorf("two ranks report %g, one reported %g", again, last)
			}
			if got := off(t, 1, c.mesh, fmt.Sprintf("{%s, samples=0}", c.smooth)); got != 0 {
				t.Errorf("without a grid: off by %g", got)
			}
			jump := "width='x > 0.5 ? 0.1 : 1', height='0.1'"
			if name == "space" {
				jump += ", depth='0.1'"
			}
			if got := off(t, 1, c.mesh, fmt.Sprintf("{%s, samples=64}", jump)); got < .4 {
				t.Errorf("at a jump: off by %g", got)
			}
			// A grid of two nodes along a side does not see a sine with equal values at both.
			if got := off(t, 1, c.mesh, "{field='sinusoidal', low=0.01, high=0.1, samples=2}"); got < .4 {
				t.Errorf("a sine on two nodes a side: off by %g", got)
			}
			if got := off(t, 1, c.mesh, "{field='uniform', samples=16}"); got > 1e-12 {
				t.Errorf("uniform: off by %g", got)
			}
		})
	}
}
