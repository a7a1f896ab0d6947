package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

func TestHaloReachesTheSolver(t *testing.T) { runtest.HaloOptionReachesSolver(t, wet) }

func TestStepsDoNotAllocate(t *testing.T) {
	for _, order := range []string{"1", "2"} {
		runtest.NothingIsAllocated(t, 3, wet, "physics.order="+order)
		runtest.NothingIsAllocated(t, 3, works, "physics.order="+order)
	}
}

func TestRowsAreAsynchronous(t *testing.T) {
	runtest.RowsAreAsynchronous(t, wet, "output.conservation_every=1",
		"gauge=[{name='a', at=[0, 0]}, {name='b', at=[0.1, 0]}]")
	runtest.RowsAreAsynchronous(t, forced, "output.conservation_every=2", "time={end=0.5}")
}
