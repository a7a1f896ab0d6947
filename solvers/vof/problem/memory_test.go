package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

const vortex = `
solver = "vof"
grid = { bounds = [0, 0, 1, 1], cells = [128, 128] }
initial = { shape = "circle(0.5, 0.75, 0.15)" }
velocity = { field = "rider-kothe", period = 8 }
time = { end = 8, max_steps = 5 }
output = { format = [] }
`

func TestMemoryIsEstimated(t *testing.T) {
	const enright = `
solver = "vof"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [48, 48, 48] }
initial = { shape = "sphere(0.35, 0.35, 0.35, 0.15)" }
velocity = { field = "enright", period = 3 }
time = { end = 3, max_steps = 5 }
output = { format = [] }
`
	runtest.MemoryIsEstimated(t, 0, vortex, "method.normal='elvira'")
	runtest.MemoryIsEstimated(t, 0, vortex, "method.normal='myc'", "method.precision='float32'")
	runtest.MemoryIsEstimated(t, 0, vortex, "output.fields=['f', 'curvature']")
	runtest.MemoryIsEstimated(t, 0, enright)
	runtest.CopiesAreEstimated(t, "vti", vortex)
	runtest.CopiesAreEstimated(t, "vti", vortex, "method.precision='float32'", "output.fields=['curvature']")
	runtest.CopiesAreEstimated(t, "vdb", enright)
	runtest.CopiesAreEstimated(t, "vtp", enright, "method.precision='float32'")
	runtest.MemoryIsEstimated(t, 0, enright, "method.sweep='cells'")
}
