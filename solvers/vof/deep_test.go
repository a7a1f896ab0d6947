package vof

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestDeepGhosts proves that ranks with one exchange in many steps have the state of one rank without tiles, whatever
// is read in between and however many steps are taken at a time.
func TestDeepGhosts(t *testing.T) {
	crossing := func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(1, -.7, 0), nil }
	odd, torus, channel := plane(171), plane(150), plane(160)
	odd.N[1], channel.N[1] = 149, 75
	torus.Periodic, channel.Periodic = [3]bool{true, true}, [3]bool{true, false}
	long := plane(40)
	long.N, long.Hi = [3]int{240, 40, 1}, [3]float64{6, 1, 0}
	arriving := func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(-1, 0, 0), nil }
	for name, c := range map[string]struct {
		problem
		parts [][3]int
		end   float64
	}{
		"vortex": {problem{grid: odd, body: shape.Ball(.5, .62, 0, .2), flow: namedFlow("rider-kothe", 2),
			cfg: config("myc", "weymouth-yue", .5)}, [][3]int{{2, 2, 1}, {1, 2, 1}}, .08},
		"float32": {problem{grid: odd, body: shape.Ball(.5, .7, 0, .15), flow: namedFlow("rider-kothe", 2),
			cfg: config("elvira", "ei-le", .9), precision: "float32"}, [][3]int{{2, 1, 1}}, .1},
		"torus": {problem{grid: torus, body: shape.Ball(.1, .9, 0, .3), flow: crossing,
			cfg: config("youngs", "weymouth-yue", .5)}, [][3]int{{1, 1, 1}, {2, 2, 1}}, .08},
		"faces beyond the ghosts": {problem{grid: torus, body: shape.Ball(.5, .5, 0, .4), flow: crossing,
			cfg: config("youngs", "ei-le", .9)}, [][3]int{{1, 1, 1}}, .03},
		"channel": {problem{grid: channel, body: shape.Ball(.9, .3, 0, .2), flow: crossing,
			cfg: config("myc", "weymouth-yue", .5)}, [][3]int{{2, 1, 1}}, .08},
		"from afar": {problem{grid: long, body: shape.Ball(5, .5, 0, .25), flow: arriving,
			cfg: config("myc", "weymouth-yue", .5)}, [][3]int{{3, 1, 1}}, 3.6},
	} {
		_, want, err := c.runUntil(c.end)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, parts := range c.parts {
			for _, stepsPerCall := range [][]int{{1, 1000}, {7}}[i%2] {
				p := c.problem
				p.parts, p.stepsPerCall, p.separate, p.cfg.Sweep = parts, stepsPerCall, stepsPerCall != 7, "tiles"
				err := p.run(func(rank int, s Solver) error {
					if exchange, _ := s.Schedule(); exchange != "steps" {
						t.Errorf("%s, %v: exchange each %s", name, parts, exchange)
					}
					for s.Time() < c.end {
						if err := s.Advance(ctx, c.end, stepsPerCall); err != nil {
							return err
						}
						if _, err := s.values(ctx, "nx"); err != nil {
							return err
						}
					}
					got, err := s.Hash(ctx)
					if rank == 0 && got != want {
						t.Errorf("%s, %v, %d steps at a time: state %.8s, want %.8s", name, parts, stepsPerCall, got, want)
					}
					return err
				})
				if err != nil {
					t.Errorf("%s, %v: %v", name, parts, err)
				}
			}
		}
	}
}

// TestDeepGhostsInOutput proves that diagnostics and fields that depend on ghosts have the same bits after any step of
// a cycle, although deep ghosts are exchanged once in a cycle, also after a restart within one.
func TestDeepGhostsInOutput(t *testing.T) {
	type output struct {
		d         Diagnostics
		curvature float64 // sum of its magnitudes
	}
	p := problem{grid: plane(160), body: shape.Ball(.5, .55, 0, .3), flow: namedFlow("rider-kothe", 2),
		cfg: config("myc", "weymouth-yue", .5)}
	p.cfg.Curvature = true
	const restart = 2*cycleLength + 6
	run := func(p problem) (all []output, err error) {
		err = p.run(func(rank int, s Solver) error {
			if exchange, _ := s.Schedule(); p.parts[0] > 1 && exchange != "steps" {
				t.Errorf("exchange each %s", exchange)
			}
			for s.Steps() < 4*cycleLength {
				if err := s.Advance(ctx, 100, 1+s.Steps()/cycleLength); err != nil {
					return err
				}
				if s.Steps() == restart { // within a cycle
					saved, err := s.Scalars(ctx)
					if err == nil {
						err = s.Restore(ctx, s.Clock(), saved, func() error { return nil })
					}
					if err != nil {
						return err
					}
				}
				d, err := s.Diagnose(ctx)
				if err != nil {
					return err
				}
				values, err := s.values(ctx, "curvature")
				if err != nil {
					return err
				}
				var sum dist.Accumulator
				for _, v := range values {
					if v == v {
						sum.Add(math.Abs(v))
					}
				}
				if err := dist.AllreduceSum(ctx, s.Env().Comm, &sum); err != nil {
					return err
				}
				if rank == 0 {
					all = append(all, output{d, sum.Float64()})
				}
			}
			return nil
		})
		return all, err
	}
	want, err := run(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, separate := range []bool{false, true} {
		p.parts, p.separate, p.cfg.Sweep = [3]int{2, 2, 1}, separate, "tiles"
		got, err := run(p)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d outputs, error %v; want %d", len(got), err, len(want))
		}
		for k := range want {
			if got[k] != want[k] {
				t.Errorf("separate memory: %t, output %d: %+v, want %+v", separate, k, got[k], want[k])
			}
		}
	}
}

// TestThinBlocks proves that blocks thinner than deep ghosts exchange each step, and that requesting deep ghosts for
// them is refused.
func TestThinBlocks(t *testing.T) {
	p := problem{grid: plane(71), body: shape.Ball(.5, .5, 0, .2), flow: namedFlow("rider-kothe", 2),
		cfg: config("myc", "weymouth-yue", .5), parts: [3]int{1, 2, 1}}
	p.cfg.Sweep = "tiles"
	err := p.run(func(_ int, s Solver) error {
		if exchange, _ := s.Schedule(); exchange != "step" {
			t.Errorf("exchange each %s", exchange)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	p.cfg.Exchange = "steps"
	refused(t, p, "fewer than the 72 layers")
	p.cfg.Sweep = "cells"
	refused(t, p, `exchange "steps" unavailable: it needs tiles`)
}
