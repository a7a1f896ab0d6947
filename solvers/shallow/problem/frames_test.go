package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

func TestFramesOnDevice(t *testing.T) {
	const basin = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 5000 }
physics = { density_ratio = 0.5, dry_depth = 0.001 }
initial = { depth = "6", h1 = "x < 0 ? 4 : 1", h2 = "depth - h1" }
time = { end = 0.3 }
output = { every = 0.01, fields = ["h1", "h2", "u1", "z1"] }
`
	runtest.FramesOnDevice(t, basin)
	runtest.FramesOnDevice(t, basin, "physics.precision='float32'", "physics.order=1")
}
