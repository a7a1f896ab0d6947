package vof

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestInvalidStatesAreReportedLater proves that a value that is not finite is reported with its cell and step although
// the report is read many steps later, and that earlier observations are unaffected.
func TestInvalidStatesAreReportedLater(t *testing.T) {
	for _, parts := range [][3]int{{1, 1, 1}, {2, 1, 1}} {
		p := problem{grid: plane(40), body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 2), separate: true,
			parts: parts, cfg: config("myc", "weymouth-yue", .5)}
		err := p.run(func(rank int, s Solver) error {
			const first, step, spoilt = 994, 1000, 20 + 40*30
			var want []Diagnostics
			for s.Steps() < step+2*(step-first) {
				if err := s.Advance(ctx, 100, max(1, first-s.Steps())); err != nil {
					return err
				}
				inner := s.inner()
				cell := inner.block.Index(spoilt%40-inner.block.Lo[0], spoilt/40, 0)
				if s.Steps() == step && rank == parts[0]-1 {
					now := inner.state().Data[cell : cell+1]
					if err := backend.Upload(inner.Env().Device, now, []float64{math.Inf(-1)}); err != nil {
						return err
					}
				}
				if s.Steps() < step {
					d, err := s.Diagnose(ctx)
					if err != nil {
						return err
					}
					d.L1Error, d.RelError = 0, 0 // Observe does not measure them
					want = append(want, d)
				}
				if s.Steps() < first+solvers.MaxObservations {
					if err := s.Observe(ctx); err != nil {
						return err
					}
				}
			}
			if err := s.Observe(ctx); err == nil {
				t.Error("Observe accepted more than MaxObservations pending observations")
			}
			var joint dist.Joint
			var err error
			comm := s.Env().Comm
			results := make([]dist.Result[Diagnostics], len(want))
			for k := range results {
				if results[k], err = s.Observed(&joint); err != nil {
					return err
				}
			}
			if err := joint.Reduce(ctx, comm); err != nil {
				return err
			}
			for k, result := range results {
				if d, err := result(ctx); err != nil || d != want[k] {
					t.Errorf("after step %d: %+v, want %+v, error %v", first+k, d, want[k], err)
				}
			}
			_, err = dist.ReduceFor(ctx, comm, s.Observed)
			if err == nil || !strings.Contains(err.Error(), "cell 1220 at (0.5125, 0.7625), step 1000: f is -Inf in {f: -Inf}") {
				t.Errorf("error %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestShortAdvancesAreRecorded proves that steps taken ten at a time, as between rows of a table, are recorded too,
// once every range of steps within a cycle has occurred.
func TestShortAdvancesAreRecorded(t *testing.T) {
	p := problem{grid: plane(40), body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 8),
		cfg: config("myc", "weymouth-yue", .5)}
	const steps = 5 * cycleLength * 10
	var hashes []string
	for _, p.separate = range []bool{false, true} {
		err := p.onDevice(func(_ int, s Solver, dev backend.Device) error {
			for s.Steps() < steps {
				if err := s.Advance(ctx, 1e3, 10); err != nil {
					return err
				}
			}
			hash, err := s.Hash(ctx)
			hashes = append(hashes, hash)
			// The first pass through a cycle, in five calls, records nothing.
			if d, ok := dev.(halotest.LinkedRecorder); ok && (d.Launches < steps/10 || d.Launches >= steps/10+5*10) {
				t.Errorf("%d recordings of %d steps", d.Launches, steps)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if hashes[0] != hashes[1] {
		t.Errorf("states %s", hashes)
	}
}
