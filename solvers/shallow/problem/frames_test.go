package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

func TestFramesOnDevice(t *testing.T) {
	sets := []string{"mesh.cells=5000", "time={end=0.3}", "output={every=0.01, fields=['h1', 'h2', 'u1', 'z1']}"}
	runtest.FramesOnDevice(t, basin, sets...)
	runtest.FramesOnDevice(t, basin, append(sets, "physics.precision='float32'", "physics.order=1")...)
}
