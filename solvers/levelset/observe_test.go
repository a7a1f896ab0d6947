package levelset

import (
	"github.com/atoll-hpc/atoll/solvers"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
)

// TestObservationsAreOfTheirStep proves that observations are of the state at the time of Observe, also when they
// are read after later steps, and that errors name the cell and step that was not finite.
func TestObservationsAreOfTheirStep(t *testing.T) {
	g := cubeGrid(2, 16, 1)
	v, err := flow.Named("rider-kothe", g, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := newSolver(t, noParticles, g, v, ball(.5, .6, 0, .2))
	observed := func() error {
		_, err := dist.ReduceFor(t.Context(), s.Env().Comm, func(to *dist.Joint) (dist.Result[[]solvers.Quantity], error) {
			return s.Observed(t.Context(), to)
		})
		return err
	}
	var want []Diagnostics
	for range 3 {
		advance(t, s, 1, 1)
		d, err := s.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, d)
		if err := s.Observe(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.f[now].Data[s.block.Index(3, 2, 0)] = math.Inf(-1)
	s.f[now].Data[s.block.Index(2, 4, 0)] = math.NaN()
	if err := s.Observe(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.f[now].Data[s.block.Index(3, 2, 0)] = 1
	for _, w := range want {
		if err := observed(); err != nil || s.measured != w {
			t.Errorf("%+v, %v, want %+v", s.measured, err, w)
		}
	}
	if err := observed(); err == nil ||
		err.Error() != "rank 0: the level set of cell 35 is -Inf in step 3" {
		t.Errorf("error %v", err)
	}
}
