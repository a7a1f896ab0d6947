package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestHaloReachesTheSolver uses a deep halo: without one the solver refuses NCCL before it asks the device.
func TestHaloReachesTheSolver(t *testing.T) {
	runtest.HaloOptionReachesSolver(t, wavy, "method.deep=true")
}

func TestMemoryIsCheckedFirst(t *testing.T) {
	for _, text := range []string{wavy, brick} {
		runtest.MemoryIsCheckedFirst(t, .6, text, "mesh.cells=8000", "method.sweeps=1")
	}
}

func TestStepsDoNotAllocate(t *testing.T) {
	for _, text := range []string{wavy, brick} {
		runtest.NothingIsAllocated(t, 3, text, "method.sweeps=100")
	}
}

// TestRowsDoNotWait proves that rows of conservation.csv are computed while sweeps go on, also over several rounds of
// a Hessian metric, each of which has another solver.
func TestRowsDoNotWait(t *testing.T) {
	for _, text := range []string{wavy, brick} {
		runtest.RowsAreAsynchronous(t, text, "output.conservation_every=1")
		runtest.RowsAreAsynchronous(t, text, "output.conservation_every=1", "method.smoother=barrier", "method.sweeps=30")
	}
	runtest.RowsAreAsynchronous(t, wavy, "output.conservation_every=1", "metric={hessian='tanh(9*x)', rounds=3}")
}
