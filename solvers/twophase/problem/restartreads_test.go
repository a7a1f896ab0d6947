package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestartReads proves that a restart reads a checkpoint of 64 ranks once, in few pieces, and gives the saved
// state.
func TestRestartReads(t *testing.T) {
	runtest.RestartReads(t, cases["bubble"], 3, "grid.cells=[48, 96]")
	runtest.RestartReads(t, cases["pebble"], 3, "grid.cells=[28, 24, 26]")
}
