package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

func TestHaloReachesTheSolver(t *testing.T) { runtest.HaloReachesTheSolver(t, wet) }

func TestNothingIsAllocated(t *testing.T) {
	for _, order := range []string{"1", "2"} {
		runtest.NothingIsAllocated(t, 3, wet, "physics.order="+order)
	}
}
