package vof

import (
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/vof/narrowband"
)

// TestNarrowBandHoldsAllThatChanges proves that sweeps of the narrow band give the state and the diagnostics of sweeps
// of all cells, and of sweeps on a device with separate memory, which has no narrow band; and that there are cells
// outside of the band, in which all fields of a step hold the state.
func TestNarrowBandHoldsAllThatChanges(t *testing.T) {
	odd, torus, thin := plane(107), plane(100), plane(9)
	odd.N[1] = 93
	torus.Periodic = [3]bool{true, true}
	thin.N, thin.Hi = [3]int{300, 9, 1}, [3]float64{300. / 9, 1, 0}
	box, tower := space(40), space(12)
	tower.N, tower.Hi, tower.Periodic = [3]int{18, 12, 70}, [3]float64{1.5, 1, 70. / 12}, [3]bool{false, false, true}
	wide := &grid.Grid{Dim: 2, N: [3]int{2200, 12, 1}, Hi: [3]float64{2200. / 12, 1, 0}} // two words of pieces a row
	uniformFlow := func(x, y, z float64) func(*grid.Grid) (flow.Flow, error) {
		return func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(x, y, z), nil }
	}
	for name, c := range map[string]struct {
		problem
		ranks int // along the first axis, or the last in space
		end   float64
	}{
		"vortex": {problem{grid: odd, body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 2),
			cfg: config("myc", "weymouth-yue", .5)}, 2, .3},
		"stored": {problem{grid: odd, body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 2),
			cfg: config("elvira", "weymouth-yue", .5)}, 1, .3},
		"outside": {problem{grid: odd, body: shape.Complement(shape.Ball(.5, .7, 0, .15)), flow: namedFlow("rider-kothe", 2),
			cfg: config("youngs", "ei-le", .9), precision: "float32"}, 2, .4},
		"torus": {problem{grid: torus, body: shape.Ball(.1, .9, 0, .1), flow: uniformFlow(1, -.7, 0),
			cfg: config("height", "weymouth-yue", .5)}, 2, .7},
		"thin": {problem{grid: thin, body: shape.Ball(8, .5, 0, .25), flow: uniformFlow(2, 0, 0),
			cfg: config("myc", "ei-le", .99)}, 1, 6},
		"wide": {problem{grid: wide, body: shape.Ball(80, .5, 0, .25), flow: uniformFlow(2, 0, 0),
			cfg: config("myc", "weymouth-yue", .5)}, 3, 6},
		"space": {problem{grid: box, body: shape.Ball(.35, .35, .35, .15), flow: namedFlow("enright", 3),
			cfg: config("myc", "weymouth-yue", .5)}, 1, .2},
		"tower": {problem{grid: tower, body: shape.Ball(.8, .5, 5, .3), flow: uniformFlow(0, 0, 1),
			cfg: config("youngs", "weymouth-yue", .5), precision: "float32"}, 2, 2},
	} {
		want, state, err := c.runUntil(c.end)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		separate := c.problem
		separate.separate, separate.cfg.Sweep = true, "cells"
		if d, hash, err := separate.runUntil(c.end); err != nil || d != want || hash != state {
			t.Errorf("%s: by narrow bands %+v, state %.8s; with separate memory %+v, %.8s, error %v", name, want, state, d,
				hash, err)
		}
		p := c.problem
		p.parts[c.grid.Dim/3*2], p.threads = c.ranks, 2
		for _, all := range []bool{false, true} {
			err := p.run(func(rank int, s Solver) error {
				checkSweeps(t, name, s)
				idle := 0
				for s.Time() < c.end {
					if all {
						activateAll(s)
					}
					if err := s.Advance(ctx, c.end, 1); err != nil {
						return err
					}
					idle += countIdle(t, s)
				}
				d, err := s.Diagnose(ctx)
				if err != nil {
					return err
				}
				got, err := s.Hash(ctx)
				if rank == 0 && (got != state || d != want) {
					t.Errorf("%s, all cells: %v: %+v, state %.8s; want %+v, %.8s", name, all, d, got, want, state)
				}
				if !all && idle == 0 {
					t.Errorf("%s: all pieces are in the narrow band of rank %d", name, rank)
				}
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// checkSweeps checks that no sweep goes over all cells of a box.
func checkSweeps(t *testing.T, name string, s Solver) {
	t.Helper()
	switch s := s.model.(type) {
	case *solver[float32]:
		checkStepper(t, name, &s.steps)
	case *solver[float64]:
		checkStepper(t, name, &s.steps)
	}
}

func checkStepper[F num.Float](t *testing.T, name string, s *stepper[F]) {
	t.Helper()
	for k := range cycleLength {
		for n := range s.block.Grid.Dim {
			w := s.sweep(k, n)
			for _, task := range append(w.boundary, w.core) {
				if _, all := task.Loop.(narrowband.RangesLoop); all && task.Hi > task.Lo {
					t.Fatalf("%s: sweep %d of step %d goes over all cells", name, n, k)
				}
			}
		}
	}
}

func activateAll(s Solver) {
	switch s := s.model.(type) {
	case *solver[float32]:
		s.steps.band.ActivateAll()
	case *solver[float64]:
		s.steps.band.ActivateAll()
	}
}

// countIdle returns how many pieces are not in the narrow band, and checks that all fields are the same there.
func countIdle(t *testing.T, s Solver) (n int) {
	t.Helper()
	var err error
	switch s := s.model.(type) {
	case *solver[float32]:
		n, err = s.steps.band.Idle()
	case *solver[float64]:
		n, err = s.steps.band.Idle()
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
