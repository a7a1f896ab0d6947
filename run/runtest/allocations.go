package runtest

import (
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers"
)

// NothingIsAllocated tests that steps do not allocate memory, and that a run does not allocate any after a step
// when it reads the clock and the fields of a cell for a gauge. The case must have 4 + 2·pairs steps or more.
func NothingIsAllocated(t *testing.T, pairs int, text string, sets ...string) {
	t.Helper()
	c := Parse(t, text, sets...)
	comm, dev := local.New(1)[0], cpu.New(2)
	defer dev.Close()
	defer comm.Close()
	kind, _ := solvers.Find(c.Solver)
	s, err := kind.New(t.Context(), solvers.Env{Comm: comm, Device: dev}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fields, end := solvers.Named(s.Fields(), c.Output.Fields), s.Size().End
	cells, values := []int{0}, make([]float64, 16)
	steps := func() {
		for last := s.Clock().Steps + 2; s.Clock().Steps < last; {
			if _, err := s.Advance(t.Context(), end, end, last-s.Clock().Steps); err != nil {
				t.Fatal(err)
			}
		}
		for k := range fields {
			if f := &fields[k]; f.Space.Locate != nil {
				if err := f.Pick(t.Context(), cells, values[:len(f.Numbers())]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	steps()
	if n := testing.AllocsPerRun(pairs, steps); n != 0 {
		t.Errorf("%v: %g allocations in two steps", sets, n)
	}
	if now := s.Clock(); now.Time >= end {
		t.Errorf("%v: the case has ended after %d steps", sets, now.Steps)
	}
}
