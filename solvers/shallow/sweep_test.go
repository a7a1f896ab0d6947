package shallow

import (
	"context"
	"fmt"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
)

// recorder is a device that repeats steps, as a GPU does.
type recorder struct{ backend.Device }

type recording func() error

func (recorder) Record(queue func() error) (backend.Recording, error) { return recording(queue), nil }
func (r recording) Launch()                                           { _ = r() }
func (recording) Close()                                              {}

// outcome is all that a run leaves behind.
type outcome struct {
	hash         string
	diagnostics  Diagnostics
	time, dt     float64
	steps, calls int
}

// TestSweepsAgree: steps that go cell by cell, tile by tile, and tile by tile without the host, are the same to the last
// bit, and count the same, on one rank and on several.
func TestSweepsAgree(t *testing.T) {
	ctx := context.Background()
	run := func(device func() backend.Device, sweep Sweep, ranks int, scheme, precision string, steps int) outcome {
		cfg := config(scheme)
		cfg.Hyperbolic, cfg.Sweep = true, sweep
		var out outcome
		err := onDevices(t, device, ranks, 3000, precision, cfg, dam, func(c dist.Comm, _ *mesh.Part, s Solver) error {
			o := outcome{}
			for _, until := range []float64{.1, .25, .41} {
				for s.Time() < until {
					o.calls++
					if err := s.Advance(ctx, until, steps); err != nil {
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
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain := func() backend.Device { return cpu.New(1) }
	repeating := func() backend.Device { return recorder{cpu.New(1)} }
	for _, scheme := range schemes {
		for _, precision := range []string{"float64", "float32"} {
			t.Run(fmt.Sprint(scheme, " ", precision), func(t *testing.T) {
				want := run(plain, CellSweep, 1, scheme, precision, 1)
				if want.diagnostics.LimitedFluxes == 0 || want.steps < 50 {
					t.Fatalf("%+v: the case shows too little", want)
				}
				for name, got := range map[string]outcome{
					"tiles":            run(plain, TileSweep, 1, scheme, precision, 1),
					"tiles, 3 ranks":   run(plain, TileSweep, 3, scheme, precision, 1),
					"cells, 3 ranks":   run(plain, CellSweep, 3, scheme, precision, 1),
					"repeated":         run(repeating, TileSweep, 1, scheme, precision, 1000),
					"repeated by 5":    run(repeating, TileSweep, 1, scheme, precision, 5),
					"repeated by 17":   run(repeating, TileSweep, 1, scheme, precision, 17),
					"repeated, 2 rank": run(repeating, TileSweep, 2, scheme, precision, 17),
				} {
					if name == "repeated" && got.calls >= want.calls/4 {
						t.Errorf("%s: %d calls for %d steps", name, got.calls, got.steps)
					}
					got.calls = want.calls
					if got != want {
						t.Errorf("%s:\n%+v, by cells\n%+v", name, got, want)
					}
				}
			})
		}
	}
}
