package smooth

import (
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
	"github.com/atoll-hpc/atoll/solvers/smooth/testmeshes"
)

// testSolidCase is mesh n of tetrahedra of package testmeshes, with its metric, precision and colouring.
func testSolidCase(t testing.TB, n int) (*mesh.Solid, *sizing.SolidMetric, setting) {
	t.Helper()
	m, err := testmeshes.Space(n)
	if err != nil {
		t.Fatal(err)
	}
	at := testmeshes.Metric3(n)
	metric, err := sizing.SolidDiscrete(unitBox, 16, func(x, y, z float64) sizing.Six { return at(x, y, z) })
	if err != nil {
		t.Fatal(err)
	}
	s := defaultSetting()
	s.layout.Colouring = colouring.Kinds[n%2]
	if testmeshes.Single(n) {
		s.precision = "float32"
	}
	return m, metric, s
}

// runBarrierSolid smooths tetrahedra with barrier to its end.
func (s setting) runBarrierSolid(t testing.TB, m *mesh.Solid, metric *sizing.SolidMetric) (before, after outcome) {
	t.Helper()
	cfg := Config{Smoother: "barrier", Guard: "none", Rescale: true}
	return runBarrier(t, s, func(f func(dist.Comm, *Solver) error) error {
		return s.onSolid(m, nil, metric, cfg, func(c dist.Comm, _ *layout.SolidPart, solver *Solver) error {
			return f(c,
				solver)
		})
	})
}
