package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

const plane = `
solver = "smooth"
mesh = { generate = "delaunay", bounds = [0, 0, 1, 1], cells = 20000 }
metric = { field = "linear", low = 0.5, high = 0.05 }
method = { sweeps = 2 }
output = { format = [] }
`

func TestMemoryIsEstimated(t *testing.T) {
	const solid = `
solver = "smooth"
mesh = { generate = "box", bounds = [0, 0, 0, 1, 1, 1], cells = 30000 }
metric = { field = "uniform" }
method = { sweeps = 2 }
output = { format = [] }
`
	for _, smoother := range []string{"pain", "barrier", "hybrid"} {
		runtest.MemoryIsEstimated(t, 0, plane, "method.smoother="+smoother)
	}
	runtest.MemoryIsEstimated(t, 0, plane, "method={smoother='pain', cull=true, precision='float32', sweeps=2}")
	const grid = "metric={width='0.01+0.02*x', height='0.01+0.02*y', samples=256}"
	// Cases that a GPU smooths by tiles.
	for _, set := range []string{"method.precision='float64'", "method.precision='float32'", "mesh.cells=90000", grid} {
		runtest.MemoryIsEstimated(t, 0, plane, "method.smoother=pain", "method.guard=none", set)
	}
	runtest.MemoryIsEstimated(t, 0, plane, "metric={field='implied'}")
	runtest.MemoryIsEstimated(t, 0, plane, "metric={field='sinusoidal', low=0.05, high=0.5, waves=80}")
	// The error of some rounds is larger than that of the round before, so that the best round is not the last one.
	for _, rounds := range []string{"2", "8"} {
		runtest.MemoryIsEstimated(t, 0, plane, "metric={hessian='exp(3*x*y)', rounds="+rounds+"}",
			"mesh.generate=rectangle", "mesh.cells=9000")
	}
	runtest.MemoryIsEstimated(t, 0, solid, "metric={width='0.1+0.02*x', height='0.1+0.02*y', depth='0.1', samples=32}")
	runtest.MemoryIsEstimated(t, 0, solid, "method.smoother=barrier")
	runtest.MemoryIsEstimated(t, 0, solid, "method={smoother='pain', cull=true, precision='float32', sweeps=2}")
	runtest.MemoryIsEstimated(t, 0, solid, "metric={field='implied'}")
	runtest.CopiesAreEstimated(t, "vtu", plane, "method={smoother='pain', cull=true, precision='float32', sweeps=2}")
	runtest.CopiesAreEstimated(t, "vtu", plane, "method.smoother=barrier", "output.fields=['area']")
	runtest.CopiesAreEstimated(t, "vtu", solid)
}
