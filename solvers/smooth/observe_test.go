package smooth

import (
	"fmt"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// TestObserved proves that an observation has the bits of a diagnosis, besides what it does not measure, on any number
// of threads: of a mesh whose cells and edges are measured in several turns.
func TestObserved(t *testing.T) {
	m := smoothtest.Rectangle(t, 60_000, 3)
	var first quality.Diagnostics
	for _, threads := range []int{1, 3} {
		s := defaultSetting()
		s.threads = threads
		cfg := Config{Smoother: "pain", Guard: "halve", Rescale: true}
		err := s.onEachRank(t, m, swirl(t), cfg, func(comm dist.Comm, _ *layout.Part, solver *Solver) error {
			if _, err := solver.Sweep(t.Context(), 1); err != nil {
				return err
			}
			if err := solver.Observe(t.Context()); err != nil {
				return err
			}
			observed, err := dist.ReduceFor(t.Context(), comm, func(to *dist.Joint) (dist.Result[quality.Diagnostics], error) {
				return solver.DiagnoseRow(t.Context(), to)
			})
			if err != nil {
				return err
			}
			want, err := solver.Diagnose(t.Context())
			if err != nil {
				return err
			}
			if first == (quality.Diagnostics{}) {
				first = want
			}
			if want != first {
				t.Errorf("%d threads: %+v, want %+v", threads, want, first)
			}
			for _, d := range []*quality.Diagnostics{&observed, &want} {
				d.Worst, d.Best, d.EdgeMean, d.Moved, d.Active = 0, 0, 0, 0, 0
				clear(d.Histogram[:])
				clear(d.EdgeHistogram[:])
			}
			if observed != want {
				return fmt.Errorf("%d threads: %+v observed, %+v diagnosed", threads, observed, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
