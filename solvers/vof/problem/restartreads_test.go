package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestartReads proves that a restart reads a checkpoint of 64 ranks once, in few pieces, and gives the saved
// state.
func TestRestartReads(t *testing.T) {
	runtest.RestartReads(t, swirl, 7)
	runtest.RestartReads(t, shearedBody, 3)
}
