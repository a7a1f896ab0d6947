package vof

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestBandsHoldAllThatChanges proves that sweeps of bands alone lead to the state and the diagnostics of sweeps of all
// cells, and of those of a device with separate memory, which has no bands; and that the bands leave cells out, in
// which each field of a step holds the state.
func TestBandsHoldAllThatChanges(t *testing.T) {
	odd, torus, thin := plane(107), plane(100), plane(9)
	odd.N[1] = 93
	torus.Periodic = [3]bool{true, true}
	thin.N, thin.Hi = [3]int{300, 9, 1}, [3]float64{300. / 9, 1, 0}
	box, tower := space(40), space(12)
	tower.N, tower.Hi, tower.Periodic = [3]int{18, 12, 70}, [3]float64{1.5, 1, 70. / 12}, [3]bool{false, false, true}
	wide := &grid.Grid{Dim: 2, N: [3]int{2200, 12, 1}, Hi: [3]float64{2200. / 12, 1, 0}} // two words of pieces a row
	to := func(x, y, z float64) func(*grid.Grid) (flow.Flow, error) {
		return func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(x, y, z), nil }
	}
	for name, c := range map[string]struct {
		problem
		ranks int // along the first axis, or the last in space
		end   float64
	}{
		"vortex": {problem{grid: odd, body: shape.Ball(.5, .75, 0, .15), flow: named("rider-kothe", 2),
			cfg: config("myc", "weymouth-yue", .5)}, 2, .3},
		"stored": {problem{grid: odd, body: shape.Ball(.5, .75, 0, .15), flow: named("rider-kothe", 2),
			cfg: config("elvira", "weymouth-yue", .5)}, 1, .3},
		"fine": {problem{grid: odd, body: shape.Complement(shape.Ball(.5, .7, 0, .15)), flow: named("rider-kothe", 2),
			cfg: config("youngs", "ei-le", .9), precision: "float32"}, 2, .4},
		"torus": {problem{grid: torus, body: shape.Ball(.1, .9, 0, .1), flow: to(1, -.7, 0),
			cfg: config("height", "weymouth-yue", .5)}, 2, .7},
		"thin": {problem{grid: thin, body: shape.Ball(8, .5, 0, .25), flow: to(2, 0, 0),
			cfg: config("myc", "ei-le", .99)}, 1, 6},
		"wide": {problem{grid: wide, body: shape.Ball(80, .5, 0, .25), flow: to(2, 0, 0),
			cfg: config("myc", "weymouth-yue", .5)}, 3, 6},
		"space": {problem{grid: box, body: shape.Ball(.35, .35, .35, .15), flow: named("enright", 3),
			cfg: config("myc", "weymouth-yue", .5)}, 1, .2},
		"tower": {problem{grid: tower, body: shape.Ball(.8, .5, 5, .3), flow: to(0, 0, 1),
			cfg: config("youngs", "weymouth-yue", .5), precision: "float32"}, 2, 2},
	} {
		want, state, err := c.until(c.end)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		apart := c.problem
		apart.separate, apart.cfg.Sweep = true, "cells"
		if d, hash, err := apart.until(c.end); err != nil || d != want || hash != state {
			t.Errorf("%s: by bands %+v, state %.8s; with separate memory %+v, %.8s, error %v", name, want, state, d, hash, err)
		}
		p := c.problem
		p.parts[c.grid.Dim/3*2], p.threads = c.ranks, 2
		for _, all := range []bool{false, true} {
			err := p.run(func(rank int, s Solver) error {
				left := 0
				for s.Time() < c.end {
					if all {
						forget(s)
					}
					if err := s.Advance(ctx, c.end, 1); err != nil {
						return err
					}
					left += checkLeftOut(t, s)
				}
				d, err := s.Diagnose(ctx)
				if err != nil {
					return err
				}
				got, err := s.Hash(ctx)
				if rank == 0 && (got != state || d != want) {
					t.Errorf("%s, all cells: %v: %+v, state %.8s; want %+v, %.8s", name, all, d, got, want, state)
				}
				if !all && left == 0 {
					t.Errorf("%s: no piece is left out on rank %d", name, rank)
				}
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func forget(s Solver) {
	switch s := s.(type) {
	case *solver[float32]:
		s.bands.forget()
	case *solver[float64]:
		s.bands.forget()
	}
}

// checkLeftOut returns how many pieces are not swept, and checks that all fields are the same there.
func checkLeftOut(t *testing.T, s Solver) int {
	switch s := s.(type) {
	case *solver[float32]:
		return leftOut(t, s.bands)
	case *solver[float64]:
		return leftOut(t, s.bands)
	}
	return 0
}

func leftOut[F float32 | float64](t *testing.T, d *bands[F]) (n int) {
	for r := range d.rows {
		for w := range d.words {
			if d.same[r*d.words+w]|d.active[r*d.words+w] != d.valid(w) {
				t.Fatalf("row %d: pieces that are neither active nor the same", r)
			}
			for left := d.same[r*d.words+w]; left != 0; left &= left - 1 {
				p := 64*w + bits.TrailingZeros64(left)
				first := d.block.Index(p*pieceCells, r%d.block.N[1], r/d.block.N[1])
				end := first + min(pieceCells, d.block.N[0]-p*pieceCells)
				for _, f := range d.fields[1:] {
					if !slices.Equal(f[first:end], d.fields[0][first:end]) {
						t.Fatalf("row %d, piece %d: %v, and %v in another field", r, p, d.fields[0][first:end], f[first:end])
					}
				}
				n++
			}
		}
	}
	return n
}
