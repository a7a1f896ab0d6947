package shallow

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
)

// newRecorder returns a device that can record, as a GPU can, and newLinked one that also has a device communicator.
func newRecorder(dist.Comm) backend.Device { return backendtest.NewFakeRecorder(cpu.New(1), 1<<30) }
func newLinked(c dist.Comm) backend.Device { return halotest.NewLinkedRecorder(cpu.New(1), 1<<30, c) }

// outcome is the result of a run; calls is the number of calls of Advance.
type outcome struct {
	hash         string
	diagnostics  Diagnostics
	time, dt     float64
	steps, calls int
}

// TestSweepsAgree proves that steps by cells, by tiles, and by queued tiles give the same bits and counters, on one
// rank and on several.
func TestSweepsAgree(t *testing.T) {
	ctx := context.Background()
	tidal := func(x, y float64) (depth, h1, h2 float64) {
		depth, h1, h2 = dam(x, y)
		return depth, 0, h1 + h2
	}
	run := func(device func(dist.Comm) backend.Device, sweep Sweep, halo string, ranks int, scheme Config,
		precision string, steps int, lag bool) outcome {
		cfg := scheme
		cfg.Hyperbolic, cfg.Sweep, cfg.Lag = true, sweep, lag
		var out outcome
		water := dam
		if cfg.Given != nil {
			water = tidal
		}
		check := func(c dist.Comm, _ *mesh.Part, s *Solver) error {
			o := outcome{}
			for _, until := range []float64{.1, .3, .52} {
				for s.Time() < until {
					o.calls++
					if _, err := s.Advance(ctx, until, 0, steps); err != nil {
						return err
					}
				}
			}
			var err error
			if o.hash, err = s.Hash(ctx); err != nil {
				return err
			}
			if o.diagnostics, err = s.Diagnose(ctx); err != nil {
				return err
			}
			if o.time, o.dt, o.steps = s.Time(), s.Dt(), s.Steps(); c.Rank() == 0 {
				out = o
			}
			return nil
		}
		err := onDevices(t, device, halo, ranks, 1500, precision, cfg, water, check)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain := func(dist.Comm) backend.Device { return cpu.New(1) }
	threads := func(dist.Comm) backend.Device { return cpu.New(3) }
	cases := configs()
	for order := 1; order <= 2; order++ { // series at the sides of one layer
		cfg := config("pvm-ifcp")
		cfg.Order, cfg.Open = order, true
		tide := []series.Row{{T: 0, Value: .2}, {T: .1, Value: .4}, {T: .3, Value: -.1}}
		cfg.Given = []*Given{{Kind: "level", Value: tide}, {Kind: "radiation", Value: series.Constant(0), Wave: tide},
			{Kind: "discharge", Value: tide[:2]}, nil}
		cases = append(cases, cfg)
	}
	for _, scheme := range cases {
		for _, precision := range []string{"float64", "float32"} {
			lag := scheme.Scheme == "ir-roe" || len(scheme.Given) > 0 && precision == "float32"
			if scheme.Order == 2 && lag != (precision == "float32") {
				continue
			}
			name := fmt.Sprint(scheme.Scheme, " of order ", scheme.Order, " ", precision, " ", len(scheme.Given), " sides")
			t.Run(name, func(t *testing.T) {
				want := run(plain, CellSweep, "", 1, scheme, precision, 1, lag)
				simple := want.diagnostics.LimitedFluxes == 0 && scheme.Order < 2
				if simple || want.steps < 40 { // more than twice 17 steps, the longest queue
					t.Fatalf("%+v: the case is too simple", want)
				}
				defer func(n int) { blockCells = n }(blockCells)
				blockCells = 20
				for name, got := range map[string]outcome{
					"blocks":           run(plain, CellSweep, "", 1, scheme, precision, 1, lag),
					"blocks, threads":  run(threads, CellSweep, "", 1, scheme, precision, 1, lag),
					"tiles":            run(plain, TileSweep, "", 1, scheme, precision, 1, lag),
					"tiles, 3 ranks":   run(plain, TileSweep, "", 3, scheme, precision, 1, lag),
					"blocks, 3 ranks":  run(plain, CellSweep, "", 3, scheme, precision, 1, lag),
					"queued":           run(newRecorder, TileSweep, "", 1, scheme, precision, 1000, lag),
					"queued by 5":      run(newRecorder, TileSweep, "", 1, scheme, precision, 5, lag),
					"queued by 17":     run(newRecorder, TileSweep, "", 1, scheme, precision, 17, lag),
					"linked, 3 ranks":  run(newLinked, TileSweep, "nccl", 3, scheme, precision, 17, lag),
					"staged, 3 ranks":  run(newLinked, TileSweep, "staged", 3, scheme, precision, 1, lag),
					"linked, by cells": run(newLinked, CellSweep, "nccl", 3, scheme, precision, 17, lag),
					"staged, by cells": run(newLinked, CellSweep, "staged", 3, scheme, precision, 1, lag),
					"tiles, 2 ranks":   run(newRecorder, TileSweep, "", 2, scheme, precision, 17, lag),
				} {
					if name == "queued" && got.calls >= want.calls/4 {
						t.Errorf("%s: %d calls for %d steps", name, got.calls, got.steps)
					}
					if lag && got.diagnostics.CFLMax <= .9 {
						t.Errorf("%s: a lagging step had a CFL number of %v at most", name, got.diagnostics.CFLMax)
					}
					got.calls = want.calls
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s:\n%+v, by cells\n%+v", name, got, want)
					}
				}
			})
		}
	}
}
