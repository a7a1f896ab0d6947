package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

func TestHaloReachesTheSolver(t *testing.T) { runtest.HaloReachesTheSolver(t, swirl) }
