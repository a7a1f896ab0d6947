package smooth

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
)

// TestStop: each rule fires where it should, at the same sweep on every rank.
func TestStop(t *testing.T) {
	m := rectangle(t, 400, 8)
	metric, err := Linear(unit, .2, .1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stop   Stop
		reason Reason
		least  int
		most   int
	}{
		{Stop{Sweeps: 7}, AllSweeps, 7, 7},
		{Stop{Sweeps: 7, Every: 3}, AllSweeps, 7, 7},
		{Stop{}, AllSweeps, 0, 0},
		{Stop{Sweeps: 9999, Move: 1e-4}, Settled, 20, 500},
		{Stop{Sweeps: 9999, Move: 1e-4, Every: 50}, Settled, 50, 500},
		{Stop{Sweeps: 9999, Mean: .1}, GoodMean, 0, 0},
		{Stop{Sweeps: 9999, Mean: .8}, GoodMean, 1, 50},
		{Stop{Sweeps: 9999, Worst: .7}, GoodWorst, 1, 100},
		{Stop{Sweeps: 9999, Advance: 1e-3}, NoMoreRising, 3, 100},
	} {
		s := plain()
		s.ranks = 3
		cfg := Config{Smoother: "pain-exact", Guard: "halve", Rescale: true}
		err := s.on(t, m, metric, cfg, func(_ dist.Comm, _ *Part, solver Solver) error {
			looks := 0
			reason, err := Run(t.Context(), solver, c.stop, func(sweeps int, move float64, d *Diagnostics) {
				looks++
				if sweeps != solver.Sweeps() || !(move >= 0) || (d != nil) != (c.stop.Mean+c.stop.Worst+c.stop.Advance > 0) {
					t.Errorf("%+v: told of sweep %d, move %g, %v", c.stop, sweeps, move, d)
				}
			})
			n, every := solver.Sweeps(), max(1, c.stop.Every)
			if reason != c.reason || n < c.least || n > c.most || looks != (n+every-1)/every {
				t.Errorf("%+v: %q after %d sweeps and %d looks", c.stop, reason, n, looks)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = plain().on(t, m, metric, Config{Smoother: "pain", Guard: "none"},
		func(_ dist.Comm, _ *Part, solver Solver) error {
			if _, err := Run(t.Context(), solver, Stop{Sweeps: 5, Move: math.NaN()}, nil); err == nil {
				t.Error("NaN is accepted")
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := Run(ctx, solver, Stop{Sweeps: 5}, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
}
