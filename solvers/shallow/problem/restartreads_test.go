package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestartReads proves that a restart reads a checkpoint of 64 ranks once, in few pieces, and gives the saved
// state, also on a mesh that has changed.
func TestRestartReads(t *testing.T) {
	runtest.RestartReads(t, wet, 6)
	runtest.RestartReads(t, given, 6, "mesh.order=random")
	runtest.RestartReads(t, forced+following, 9)
}
