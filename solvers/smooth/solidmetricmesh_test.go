package smooth

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// linearOn is a metric with linear components, at the vertices of a mesh.
func linearOn(m *mesh.Solid) (metric.Field, func(x, y, z float64) sizing.Six) {
	at := func(x, y, z float64) sizing.Six {
		return sizing.Six{9 + x, x - y, y * .5, 7 + 2*y - z, .3 * z, 5 + z - x}
	}
	f := make(metric.Field, len(m.X))
	for v := range f {
		t := at(m.X[v], m.Y[v], m.Z[v])
		f[v] = metric.Tensor{t[0], t[1], t[3], t[2], t[4], t[5]}
	}
	return f, at
}

// TestOnSolid proves that a linear field is reproduced everywhere, at vertices to the last bits, and outside of the
// mesh with its values on the boundary.
func TestOnSolid(t *testing.T) {
	m := cube(t, 5, .15)
	for v := range m.X { // a box that is not a cube
		m.X[v], m.Z[v] = 3*m.X[v]-1, m.Z[v]/4
	}
	field, at := linearOn(m)
	on, err := sizing.OnSolid(m, field)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		x, y, z := 3*rng.Float64()-1, rng.Float64(), rng.Float64()/4
		got, want := on.At(x, y, z), at(x, y, z)
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-13*want[0] {
				t.Fatalf("at (%g, %g, %g): %v, want %v", x, y, z, got, want)
			}
		}
	}
	for v := range m.X {
		got, want := on.At(m.X[v], m.Y[v], m.Z[v]), at(m.X[v], m.Y[v], m.Z[v])
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-14*want[0] {
				t.Fatalf("vertex %d: %v, want %v", v, got, want)
			}
		}
	}
	for _, p := range [][3]float64{{-9, .5, .1}, {9, 9, 9}, {math.NaN(), math.Inf(1), 0}} {
		if got := on.At(p[0], p[1], p[2]); !got.Positive() {
			t.Errorf("at %v: %v", p, got)
		}
	}
}

// TestOnSolidSmooths proves that the same field on a mesh and on a grid give the same result up to round-off, and the
// same bits on any number of ranks.
func TestOnSolidSmooths(t *testing.T) {
	m := cube(t, 5, .1)
	field, at := linearOn(m)
	on, err := sizing.OnSolid(m, field)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := sizing.SolidDiscrete(unitBox, 4, at) // the same field up to round-off
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Smoother: "pain-exact", Guard: "halve"}
	one, other := defaultSetting().runSolid(t, m, nil, on, cfg, 20), defaultSetting().runSolid(t, m, nil, grid, cfg, 20)
	if math.Abs(one.diagnostics.Objective-other.diagnostics.Objective) > 1e-10*one.diagnostics.Objective ||
		math.Abs(one.longestMove-other.longestMove) > 1e-9 {
		t.Errorf("on a mesh %+v, on a grid %+v", one, other)
	}
	for _, ranks := range []int{2, 4} {
		s := defaultSetting()
		s.ranks = ranks
		if got := s.runSolid(t, m, nil, on, cfg, 20); got != one {
			t.Errorf("%d ranks: %+v, on one %+v", ranks, got, one)
		}
	}
}

func TestOnSolidRefuses(t *testing.T) {
	m := cube(t, 2, 0)
	field, _ := linearOn(m)
	if _, err := sizing.OnSolid(m, field[1:]); err == nil {
		t.Error("a field with too few vertices is accepted")
	}
	field[7][0] = -1
	if _, err := sizing.OnSolid(m, field); err == nil || !strings.Contains(err.Error(), "vertex 7") {
		t.Errorf("a metric that is not positive definite: %v", err)
	}
	field[7][0] = 9
	m.Cells[3][0], m.Cells[3][1] = m.Cells[3][1], m.Cells[3][0]
	if _, err := sizing.OnSolid(m, field); err == nil || !strings.Contains(err.Error(), "tetrahedron 3") {
		t.Errorf("a tetrahedron that is inverted: %v", err)
	}
}

// TestSolidRescale proves that after scaling the mesh's volume in the metric is that of as many regular tetrahedra of
// edge 1.
func TestSolidRescale(t *testing.T) {
	m, metric := cube(t, 5, .1), twist(t)
	run := func(rescale bool, at *sizing.SolidMetric) (scale float64) {
		err := defaultSetting().onSolid(m, nil, at, Config{Smoother: "smart", Guard: "none", Rescale: rescale},
			func(_ dist.Comm, _ *layout.SolidPart, s *Solver) error {
				scale = s.Scale()
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		return scale
	}
	if run(false, metric) != 1 {
		t.Error("a metric is scaled without being asked for it")
	}
	unit, err := sizing.SolidDiscrete(unitBox, 2, func(_, _, _ float64) sizing.Six { return sizing.Six{1, 0, 0, 1, 0, 1} })
	if err != nil {
		t.Fatal(err)
	}
	// Of 750 tetrahedra in a volume of 1, an edge is (12/√2/750)^⅓ long.
	edge := math.Cbrt(12 / math.Sqrt2 / 750)
	if got := run(true, unit); math.Abs(got*edge*edge-1) > 1e-13 {
		t.Errorf("a scale of %g for edges of %g", got, edge)
	}
}
