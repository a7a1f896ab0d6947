package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

const basin = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 20000 }
physics = { density_ratio = 0.5, dry_depth = 0.001 }
initial = { depth = "6", h1 = "x < 0 ? 4 : 1", h2 = "depth - h1" }
time = { end = 1, max_steps = 5 }
output = { format = [] }
gauge = [{ name = "centre", at = [0, 0] }]
`

func TestMemoryIsEstimated(t *testing.T) {
	const one = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 20000 }
physics = { layers = 1, dry_depth = 0.001, manning = 0.03 }
initial = { depth = "6", h = "x < 0 ? 4 : 1" }
boundary = { right = "open" }
time = { end = 1, max_steps = 5 }
output = { format = [] }
`
	runtest.MemoryIsEstimated(t, 0, basin, "physics.order=1")
	runtest.MemoryIsEstimated(t, 0, basin, "physics.order=2")
	runtest.MemoryIsEstimated(t, 0, basin, "physics.order=1",
		"gauge=[{name='section', line=[[-4.9, 0], [4.9, 0]], points=100}]")
	runtest.MemoryIsEstimated(t, 0, one, "physics.order=2", "output.fields=['h', 'max_h', 'arrival']")
	runtest.MemoryIsEstimated(t, 0, one, "physics.order=1", "output.fields=['h', 'max_h']", "forcing.uplift='x'",
		"forcing.latitude='50'")
	runtest.MemoryIsEstimated(t, 0, one, "physics.order=1", "forcing={rain='1e-5', rain_pattern='1', "+
		"infiltration='1e-6', "+
		"pressure='1e5+x'}")
	runtest.MemoryIsEstimated(t, 0, one, "physics.order=1", "physics.precision='float32'")
	runtest.CopiesAreEstimated(t, "vtu", basin)
	runtest.CopiesAreEstimated(t, "nc", one, "output.fields=['max_h', 'arrival', 'z']", "forcing.infiltration='1e-6'")
	runtest.CopiesAreEstimated(t, "vtu", one, "output.fields=['max_h']", "physics.precision='float32'")
}
