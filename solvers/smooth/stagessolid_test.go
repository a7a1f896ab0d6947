package smooth

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
)

// roughSolid is a cube of tetrahedra of which some vertices lie almost on a face of one around them, so that the worst
// quality is about the given one.
func roughSolid(t testing.TB, side int, seed uint64, worst float64) *mesh.Solid {
	t.Helper()
	m := cube(t, side, .1)
	rng := rand.New(rand.NewPCG(seed, 2))
	spoilt := make([]bool, len(m.X))
	for c, cell := range m.Cells {
		k := rng.IntN(4)
		v, p := cell[k], m.At(cell[k])
		if min(p[0], p[1], p[2]) <= 0 || max(p[0], p[1], p[2]) >= 1 || rng.IntN(6) > 0 ||
			slices.ContainsFunc(cell[:], func(u int32) bool { return spoilt[u] }) {
			continue
		}
		face, far := m.Facing(int32(c), k), worst*math.Exp(3*rng.Float64())
		var to [3]float64
		for axis := range to {
			for _, u := range face {
				to[axis] += m.At(u)[axis] / 3
			}
			to[axis] += far * (p[axis] - to[axis])
		}
		m.X[v], m.Y[v], m.Z[v] = to[0], to[1], to[2]
		for other, at := range m.Cells {
			if slices.Contains(at[:], v) && !(m.Volume(other) > 0) {
				m.X[v], m.Y[v], m.Z[v] = p[0], p[1], p[2]
			}
		}
		spoilt[v] = m.At(v) != p
	}
	return m
}

// harmedSolid is a cube to which no harm is done, some with slivers of qualities down to 1e-9, with its metric,
// precision and colouring.
func harmedSolid(t testing.TB, n int) (*mesh.Solid, *SolidMetric, setting) {
	t.Helper()
	m, s := cube(t, 3+n%3, []float64{0, .1, .14, .16}[n%4]), plain()
	if n%2 == 1 {
		m = roughSolid(t, 3+n%3, uint64(n), math.Pow(10, -float64(n%10)))
	}
	metric := twist(t)
	if n%3 == 0 {
		var err error
		if metric, err = SolidLinear(unitBox, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	s.layout.Colouring = Colourings[n%3]
	if n%12 == 4 {
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
