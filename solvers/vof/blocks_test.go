package vof

import (
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestSameBitsForAnyBlocks proves that state and diagnostics do not depend on ranks, blocks or threads.
func TestSameBitsForAnyBlocks(t *testing.T) {
	periodic := plane(36)
	periodic.Periodic = [3]bool{true, true}
	long := space(16)
	long.N, long.Hi = [3]int{24, 18, 16}, [3]float64{1.5, 1, 1}
	long.Periodic = [3]bool{false, false, true}
	disk, ball := shape.Ball(.5, .75, 0, .15), shape.Ball(.35, .35, .35, .15)
	turning := func(n int, normal, advect string, cfl float64) problem {
		return problem{grid: plane(n), body: disk, flow: namedFlow("rider-kothe", 2), cfg: config(normal, advect, cfl)}
	}
	crossing := func(g *grid.Grid, body shape.Body, normal string) problem {
		return problem{grid: g, body: body, flow: uniform(1, .7, -.4), cfg: config(normal, "weymouth-yue", .5)}
	}
	inSpace := func(n int, flow, normal string) problem {
		return problem{grid: space(n), body: ball, flow: namedFlow(flow, 3), cfg: config(normal, "weymouth-yue", .5)}
	}
	type blocks [][3]int
	inPlane := blocks{{2, 1, 1}, {1, 3, 1}, {2, 2, 1}, {3, 2, 1}, {2, 4, 1}, {8, 1, 1}}
	for name, c := range map[string]struct {
		problem
		precision string
		end       float64
		parts     blocks
	}{
		"vortex": {turning(32, "myc", "weymouth-yue", .5), "float64", .5, inPlane},
		"ei-le":  {turning(33, "elvira", "ei-le", .9), "float64", .5, inPlane},
		"lvira":  {turning(32, "lvira", "weymouth-yue", .5), "float64", .1, inPlane},
		// Eight strips are too thin for heights.
		"heights":        {turning(40, "height", "weymouth-yue", .5), "float64", .3, inPlane[:5]},
		"periodic":       {crossing(periodic, disk, "youngs"), "float64", .6, inPlane},
		"single":         {turning(32, "myc", "ei-le", .9), "float32", .5, inPlane},
		"enright":        {inSpace(18, "enright", "myc"), "float64", .3, blocks{{2, 2, 1}, {1, 2, 3}, {2, 2, 2}}},
		"space":          {crossing(long, ball, "elvira"), "float64", .5, blocks{{3, 1, 2}, {2, 1, 4}}},
		"space, heights": {crossing(long, ball, "height"), "float64", .1, blocks{{2, 2, 1}, {3, 1, 2}, {2, 2, 2}}},
		"space, single":  {crossing(long, ball, "youngs"), "float32", .3, blocks{{1, 3, 1}, {2, 1, 2}}},
		"space, lvira":   {inSpace(12, "shear", "lvira"), "float64", .1, blocks{{1, 3, 1}}},
	} {
		c.problem.precision = c.precision
		want, hash, err := c.runUntil(c.end)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for n, parts := range c.parts {
			p := c.problem
			p.parts, p.threads = parts, 1+n%3
			got, other, err := p.runUntil(c.end)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, parts, err)
			}
			if other != hash || got != want {
				t.Errorf("%s, %v: state %.8s, want %.8s\n%+v, want\n%+v", name, parts, other, hash, got, want)
			}
		}
	}
}
