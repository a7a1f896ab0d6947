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

func TestRowsComeLate(t *testing.T) {
	runtest.RowsComeLate(t, wet, "output.conservation_every=1")
	runtest.RowsComeLate(t, forced, "output.conservation_every=2", "time={end=0.5}")
}
