package vof

import (
	"fmt"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestSameBitsForAnySchedule proves that the state does not depend on the memory of the device, the exchange of ghosts,
// the traversal of the grid, and recordings.
func TestSameBitsForAnySchedule(t *testing.T) {
	odd := plane(70)
	odd.N = [3]int{70, 45, 1}
	periodic := plane(66)
	periodic.Periodic = [3]bool{true, true}
	channel := plane(48)
	channel.Periodic = [3]bool{false, true}
	solid := space(18)
	solid.N, solid.Periodic = [3]int{18, 20, 16}, [3]bool{false, false, true}
	disk, ball := shape.Ball(.5, .75, 0, .15), shape.Ball(.35, .35, .35, .15)
	crossing := func(x, y, z float64) func(*grid.Grid) (flow.Flow, error) {
		return func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(x, y, z), nil }
	}
	cases := map[string]problem{
		"channel": {grid: channel, body: shape.Ball(.1, .5, 0, .2), flow: crossing(-.3, 1, 0),
			cfg: config("myc", "weymouth-yue", .5)},
		"periodic": {grid: periodic, body: disk, flow: crossing(1, .7, 0), cfg: config("youngs", "weymouth-yue", .5)},
		"heights": {grid: plane(48), body: disk, flow: namedFlow("rider-kothe", 2),
			cfg: config("height", "weymouth-yue", .5)},
		"space":   {grid: solid, body: ball, flow: crossing(.5, .7, -.4), cfg: config("myc", "weymouth-yue", .5)},
		"enright": {grid: space(16), body: ball, flow: namedFlow("enright", 3), cfg: config("elvira", "weymouth-yue", .5)},
		"single": {grid: odd, body: disk, flow: namedFlow("rider-kothe", 2), cfg: config("myc", "ei-le", .9),
			precision: "float32"},
	}
	for _, normal := range []string{"youngs", "myc", "elvira", "lvira"} {
		for _, advect := range Advections {
			cases[normal+" "+advect] = problem{grid: odd, body: disk, flow: namedFlow("rider-kothe", 2),
				cfg: config(normal, advect, .45)}
		}
	}
	for name, p := range cases {
		want, hash, err := p.runUntil(.15)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, parts := range [][3]int{{1, 1, 1}, {2, 2, 1}} {
			for _, w := range []struct {
				exchange, sweep string
				separate        bool
			}{{"sweep", "cells", false}, {"step", "cells", false}, {"step", "tiles", false}, {"sweep", "cells", true},
				{"step", "cells", true}, {"step", "tiles", true}, {"sweep", "", true}} {
				if w.sweep == "tiles" && (p.grid.Dim == 3 || p.cfg.Normal == "height") {
					continue
				}
				q := p
				q.parts, q.separate, q.cfg.Exchange, q.cfg.Sweep, q.stepsPerCall = parts, w.separate, w.exchange, w.sweep,
					1+40*(parts[0]-1)
				if w.separate && w.sweep == "cells" && w.exchange == "sweep" {
					q.halo = "staged"
				}
				got, other, err := q.runUntil(.15)
				if err != nil {
					t.Fatalf("%s, %v, %+v: %v", name, parts, w, err)
				}
				if other != hash || got != want {
					t.Errorf("%s, %v, %+v: state %.8s, want %.8s\n%+v, want\n%+v", name, parts, w, other, hash, got, want)
				}
			}
		}
	}
}

// TestRecordings proves that many steps are queued at a time, that tiles or bricks without work are skipped, and that
// the state is that of plain sweeps.
func TestRecordings(t *testing.T) {
	disk, ball := shape.Ball(.5, .75, 0, .15), shape.Ball(.3, .2, .2, .1)
	long := space(64)
	long.N, long.Hi = [3]int{160, 64, 24}, [3]float64{2.5, 1, .375}
	for _, c := range []struct {
		problem
		end float64
	}{
		{problem{grid: plane(400), body: disk, flow: namedFlow("rider-kothe", 8),
			cfg: config("myc", "weymouth-yue", .5)}, .1},
		{problem{grid: plane(400), body: disk, flow: namedFlow("rider-kothe", 8), cfg: config("elvira", "ei-le", .9)}, .1},
		{problem{grid: long, body: ball, cfg: config("myc", "weymouth-yue", .5), flow: func(*grid.Grid) (flow.Flow, error) {
			return flow.Uniform(.7, .3, .4), nil
		}}, .28},
	} {
		p := c.problem
		_, want, err := p.runUntil(c.end)
		if err != nil {
			t.Fatal(err)
		}
		for _, parts := range [][3]int{{1, 1, 1}, {2, 1, 1}} {
			p.separate, p.parts = true, parts
			if p.grid.Dim == 2 {
				p.cfg.Exchange, p.cfg.Sweep = "step", "tiles"
			}
			err = p.onDevice(func(rank int, s Solver, dev backend.Device) error {
				for s.Time() < c.end {
					if err := s.Advance(ctx, c.end, 1000); err != nil {
						return err
					}
				}
				if n := dev.(halotest.LinkedRecorder).Launches; n < 1 || n != s.Steps()/cycleLength-1 {
					return fmt.Errorf("%d recordings for %d steps", n, s.Steps())
				}
				inner := s.inner()
				if n := inner.sentBricks + inner.steps.active; n == 0 || n >= inner.listable {
					return fmt.Errorf("%d of %d tiles or bricks are computed", n, inner.listable)
				}
				got, err := s.Hash(ctx)
				if rank == 0 && got != want {
					t.Errorf("%v, %+v, %v: state %.8s, want %.8s", p.grid.N, p.cfg, parts, got, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Blocks of all tests are small.
func init() { minCellsForBrickWalls = 0 }

// TestThinPeriods proves that a device with separate memory computes domains that are thinner than their ghosts along
// periodic axes as the host does.
func TestThinPeriods(t *testing.T) {
	for _, n := range [][3]int{{16, 16, 1}, {16, 1, 16}, {1, 16, 2}, {2, 3, 16}, {40, 40, 1}} {
		for _, normal := range []string{"myc", "height"} {
			var hashes [2]string
			for k := range hashes {
				p := ballIn(&grid.Grid{Dim: 3, N: n, Hi: [3]float64{1, 1, 1}, Periodic: [3]bool{true, true, true}},
					[3]int{1, 1, 1})
				p.cfg.Normal, p.separate = normal, k == 1
				p.flow = func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(.7, .5, .3), nil }
				var err error
				if _, hashes[k], err = p.runUntil(.3); err != nil {
					t.Fatal(n, normal, err)
				}
			}
			if hashes[0] != hashes[1] {
				t.Errorf("%v cells, %s: another state on a device with separate memory", n, normal)
			}
		}
	}
}
