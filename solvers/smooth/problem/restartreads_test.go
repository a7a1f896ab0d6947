package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestRestartReads proves that a restart reads a checkpoint of 64 ranks once, in few pieces, and gives the saved
// state, of triangles and of tetrahedra.
func TestRestartReads(t *testing.T) {
	runtest.RestartReads(t, wavy, 5)
	runtest.RestartReads(t, brick, 3)
}
