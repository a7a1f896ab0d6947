package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestartReads proves that a restart reads a checkpoint of 64 ranks once, in few pieces, and gives the saved
// state, with particles.
func TestRestartReads(t *testing.T) {
	runtest.RestartReads(t, swirl, 7, "grid.cells=[64, 64]")
	runtest.RestartReads(t, offCentre, 3, "grid.cells=[40, 40, 40]")
}
