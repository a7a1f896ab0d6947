package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

func TestMemoryIsTold(t *testing.T) {
	const vortex = `
solver = "vof"
grid = { bounds = [0, 0, 1, 1], cells = [128, 128] }
initial = { shape = "circle(0.5, 0.75, 0.15)" }
velocity = { field = "rider-kothe", period = 8 }
time = { end = 8, max_steps = 5 }
output = { format = [] }
`
	const enright = `
solver = "vof"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [48, 48, 48] }
initial = { shape = "sphere(0.35, 0.35, 0.35, 0.15)" }
velocity = { field = "enright", period = 3 }
time = { end = 3, max_steps = 5 }
output = { format = [] }
`
	runtest.MemoryIsTold(t, 0, vortex, "method.normal='elvira'")
	runtest.MemoryIsTold(t, 0, vortex, "method.normal='myc'", "method.precision='float32'")
	runtest.MemoryIsTold(t, 0, vortex, "output.fields=['f', 'curvature']")
	runtest.MemoryIsTold(t, 0, enright)
	runtest.CopiesAreTold(t, "vti", vortex)
	runtest.CopiesAreTold(t, "vti", vortex, "method.precision='float32'", "output.fields=['curvature']")
	runtest.CopiesAreTold(t, "vdb", enright)
	runtest.MemoryIsTold(t, 0, enright, "method.sweep='cells'")
}
