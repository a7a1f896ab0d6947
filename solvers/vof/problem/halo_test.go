package problem

import (
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

func TestHaloReachesTheSolver(t *testing.T) { runtest.HaloOptionReachesSolver(t, swirl) }

func TestMemoryIsCheckedFirst(t *testing.T) {
	for sweep, share := range map[string]float64{"cells": .5, "tiles": .7} { // cells need planes too
		runtest.MemoryIsCheckedFirst(t, share, swirl, "method.sweep="+sweep, "time.max_steps=1")
	}
}

func TestStepsDoNotAllocate(t *testing.T) {
	runtest.NothingIsAllocated(t, 5, swirl, "output.fields=['f', 'normal']")
	runtest.NothingIsAllocated(t, 2, shearedBody)
}

func TestRowsAreAsynchronous(t *testing.T) {
	runtest.RowsAreAsynchronous(t, swirl, "output.conservation_every=2", "method.normal='elvira'", "method.sweep=tiles",
		`exact={shape="circle(0.5, 0.5, 0.15)"}`)
	runtest.RowsAreAsynchronous(t, shearedBody, "output.conservation_every=1")
}
