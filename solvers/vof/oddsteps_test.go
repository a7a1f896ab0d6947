package vof

import (
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestAnyNumberOfStepsBeginsCycles proves that the state does not depend on how many steps are queued at a time, with
// any number of them at the start of a cycle, and with nothing read in between that would update ghosts. The interface
// runs along the strip, so that outdated ghosts reach a block's own cells within a few cycles.
func TestAnyNumberOfStepsBeginsCycles(t *testing.T) {
	along := func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(.1, -1, 0), nil }
	slowing := func(*grid.Grid) (flow.Flow, error) {
		v := flow.Uniform(-.2, .9, 0)
		v.Factor = func(t float64) float64 { return 1 / (1 + t/20) }
		return v, nil
	}
	strip := func(ny int) *grid.Grid { // periodic along y, of 12 cells across
		return &grid.Grid{Dim: 2, N: [3]int{12, ny, 1}, Hi: [3]float64{1, float64(ny) / 12, 0},
			Periodic: [3]bool{1: true}}
	}
	adaptive := config("youngs", "ei-le", .3)
	adaptive.Adaptive = true
	body := shape.Ball(.5, .5, 0, .4)
	for name, c := range map[string]struct {
		problem
		end float64
	}{
		"one block": {problem{grid: strip(73), body: body, flow: along, precision: "float32",
			cfg: config("elvira", "ei-le", .9), parts: [3]int{1, 1, 1}}, 9},
		"two blocks": {problem{grid: strip(151), body: body, flow: along, cfg: config("myc", "weymouth-yue", .5),
			parts: [3]int{1, 2, 1}}, 9},
		"adaptive steps": {problem{grid: strip(262), body: body, flow: slowing, cfg: adaptive,
			parts: [3]int{1, 3, 1}}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alone := c.problem
			alone.parts, alone.cfg.Sweep = [3]int{1, 1, 1}, "cells"
			_, want, err := alone.runUntil(c.end)
			if err != nil {
				t.Fatal(err)
			}
			for n, steps := range []int{1000, 1, 3, 11, 25} {
				p := c.problem
				p.stepsPerCall, p.separate, p.cfg.Sweep, p.cfg.Exchange = steps, n%2 == 0, "tiles", "steps"
				if _, got, err := p.runUntil(c.end); err != nil || got != want {
					t.Errorf("%d steps at a time: state %.8s, want %.8s, error %v", steps, got, want, err)
				}
			}
		})
	}
}
