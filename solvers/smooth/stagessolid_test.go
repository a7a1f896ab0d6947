package smooth

import (
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/rough"
)

// harmedSolid is a rough mesh of tetrahedra, with its metric, precision and colouring.
func harmedSolid(t testing.TB, n int) (*mesh.Solid, *SolidMetric, setting) {
	t.Helper()
	m, err := rough.Space(n)
	if err != nil {
		t.Fatal(err)
	}
	at := rough.Metric3(n)
	metric, err := SolidDiscrete(unitBox, 16, func(x, y, z float64) Six { return at(x, y, z) })
	if err != nil {
		t.Fatal(err)
	}
	s := plain()
	s.layout.Colouring = Colourings[n%2]
	if rough.Single(n) {
		s.precision = "float32"
	}
	return m, metric, s
}

// stagedSolid smooths tetrahedra with barrier to its end.
func (s setting) stagedSolid(t testing.TB, m *mesh.Solid, metric *SolidMetric) (before, after outcome) {
	t.Helper()
	cfg := Config{Smoother: "barrier", Guard: "none", Rescale: true}
	return staged(t, s, func(f func(dist.Comm, Solver) error) error {
		return s.onSolid(m, nil, metric, cfg, func(c dist.Comm, _ *SolidPart, solver Solver) error { return f(c, solver) })
	})
}
