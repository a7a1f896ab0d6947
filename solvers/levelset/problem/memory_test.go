package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestMemoryIsEstimated proves that arrays, particles and the scratch memory of sorting are estimated from counts
// alone.
func TestMemoryIsEstimated(t *testing.T) {
	const vortex = `
solver = "level-set"
grid = { bounds = [0, 0, 1, 1], cells = [128, 128] }
initial = { shape = "circle(0.5, 0.75, 0.15)" }
velocity = { field = "rider-kothe", period = 8 }
method = { sort = 1 }
time = { end = 8, max_steps = 3 }
output = { format = [] }
`
	const enright = `
solver = "level-set"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [32, 32, 32] }
initial = { shape = "sphere(0.35, 0.35, 0.35, 0.15)" }
velocity = { field = "enright", period = 3 }
method = { cfl = 4.9, sort = 1 }
time = { end = 3, max_steps = 2 }
output = { format = [] }
`
	scratch := func(text string) int64 {
		c := runtest.Parse(t, text)
		f, err := estimate(c, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		return needOf(c, f.LargestShare).Scratch
	}
	runtest.MemoryIsEstimated(t, scratch(vortex), vortex)
	runtest.MemoryIsEstimated(t, 0, vortex, "method={particles=0, precision='float32'}")
	runtest.MemoryIsEstimated(t, scratch(enright), enright)
	runtest.CopiesAreEstimated(t, "vti", vortex)
	runtest.CopiesAreEstimated(t, "vtp", vortex)
	runtest.CopiesAreEstimated(t, "vti", enright, "method={precision='float32', particles=0}")
}
