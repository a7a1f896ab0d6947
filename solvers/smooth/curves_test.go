package smooth

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// squareToDisc maps the square [-1, 1]² to the unit disc.
func squareToDisc(x, y float64) (float64, float64) {
	return x * math.Sqrt(1-y*y/2), y * math.Sqrt(1-x*x/2)
}

// result is the mesh at the end of a run, with diagnostics.
type result struct {
	outcome
	positions [3][]float64 // by axis and id of the vertex
}

func (e *result) runToEnd(t testing.TB, c dist.Comm, p *layout.Subdomain, s *Solver, vertices int) error {
	for !s.Ended() {
		if _, err := s.Sweep(t.Context(), 10); err != nil {
			return err
		}
	}
	at, err := s.Coordinates()
	if err != nil {
		return err
	}
	for k := range at {
		for i, v := range p.Global[:p.Owned] {
			e.positions[k][v] = at[k][i]
		}
	}
	now := outcome{}
	if now.diagnostics, err = s.Diagnose(t.Context()); err != nil {
		return err
	}
	if now.hash, err = s.Hash(t.Context()); c.Rank() == 0 {
		e.outcome = now
	}
	return err
}

// smoothToEnd runs barrier to its end on triangles or tetrahedra of equal target sizes.
func (s setting) smoothToEnd(t testing.TB, m *mesh.Mesh, b *mesh.Solid) (e result) {
	t.Helper()
	cfg, err := Config{Smoother: "barrier", Guard: "none", Rescale: true}, error(nil)
	for k := range e.positions {
		e.positions[k] = make([]float64, 10_000)
	}
	if m != nil {
		var metric *sizing.Metric
		if metric, err = sizing.Linear(sizing.Bounds{X0: -1, Y0: -1, X1: 1, Y1: 1}, .1, .1); err == nil {
			err = s.onEachRank(t, m, metric, cfg, func(c dist.Comm, p *layout.Part, s *Solver) error {
				return e.runToEnd(t, c, &p.Subdomain, s, len(m.X))
			})
		}
	} else {
		var metric *sizing.SolidMetric
		if metric, err = sizing.SolidLinear(sizing.Box{Low: [3]float64{-1, -1, -1}, High: [3]float64{1, 1, 1}}, .1,
			.1); err == nil {
			err = s.onSolid(b, nil, metric, cfg, func(c dist.Comm, p *layout.SolidPart, s *Solver) error {
				return e.runToEnd(t, c, &p.Subdomain, s, len(b.X))
			})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// otherSetting returns one of two settings that must give the bits of the default setting with the same ridge angle:
// ranks with random parts, on the CPU or on devices with separate memory.
func otherSetting(n int) setting {
	s := defaultSetting()
	s.ranks, s.cut, s.layout.Ridge = 2+n, partition.RandomCut, 45
	if n == 1 {
		s.device, s.layout.Deep = func() backend.Device { return newSeparateMemory() }, true
	}
	return s
}

// TestCurved proves that sliding on curved boundaries improves the meshes of a disc, a ball and a cylinder compared
// with fixed boundaries, that vertices stay within 1% of an edge of the exact boundary, and that the hash does not
// depend on ranks and devices.
func TestCurved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		plane *mesh.Mesh
		solid *mesh.Solid
		edge  float64
		off   func(x, y, z float64) float64
	}{
		{"disc", smoothtest.Disc(t, 300, 3), nil, 2 * math.Pi / 60, func(x, y, _ float64) float64 {
			return math.Hypot(x,
				y) - 1
		}},
		{"ball", nil, ball(t), .3, func(x, y, z float64) float64 { return math.Hypot(math.Hypot(x, y), z) - 1 }},
		{"cylinder", nil, mappedCube(t, func(x, y, z float64) (float64, float64, float64) {
			x, y = squareToDisc(x, y)
			return x, y, z
		}), .3, func(x, y, z float64) float64 {
			return min(math.Abs(math.Hypot(x, y)-1), math.Abs(math.Abs(z)-1))
		}},
	} {
		plainSetting := defaultSetting()
		fixedResult := plainSetting.smoothToEnd(t, c.plane, c.solid)
		curved := defaultSetting()
		curved.layout.Ridge = 45
		got := curved.smoothToEnd(t, c.plane, c.solid)
		a, b := fixedResult.diagnostics, got.diagnostics
		if !(b.QualityMean > a.QualityMean+.003 && b.QualityMin > a.QualityMin) || b.Inverted > 0 {
			t.Errorf("%s: mean %g and worst %g, with the boundary kept %g and %g", c.name, b.QualityMean, b.QualityMin,
				a.QualityMean, a.QualityMin)
		}
		slid, most := 0, 0.0
		for v := range boundaryOf(t, c.plane, c.solid) {
			x, y, z := got.positions[0][v], got.positions[1][v], got.positions[2][v]
			if x != fixedResult.positions[0][v] || y != fixedResult.positions[1][v] {
				slid++
			}
			most = max(most, math.Abs(c.off(x, y, z)))
		}
		if slid < 20 || !(most <= .01*c.edge) {
			t.Errorf("%s: %d vertices slid, to %g of an edge from the boundary", c.name, slid, most/c.edge)
		}
		for n := range 2 {
			if other := otherSetting(n).smoothToEnd(t, c.plane, c.solid); other.outcome != got.outcome {
				t.Errorf("%s: elsewhere %+v, on one rank %+v", c.name, other.outcome, got.outcome)
			}
		}
	}
}

// ball is an irregular mesh of the unit ball.
func ball(t testing.TB) *mesh.Solid {
	return mappedCube(t, func(x, y, z float64) (float64, float64, float64) {
		return x * math.Sqrt(1-y*y/2-z*z/2+y*y*z*z/3), y * math.Sqrt(1-x*x/2-z*z/2+x*x*z*z/3),
			z * math.Sqrt(1-x*x/2-y*y/2+x*x*y*y/3)
	})
}

// mappedCube is an irregular mesh of the image of the cube [-1, 1]³ under a map.
func mappedCube(t testing.TB, to func(x, y, z float64) (float64, float64, float64)) *mesh.Solid {
	m := cube(t, 7, .13)
	m.Faces = nil
	for v := range m.X {
		m.X[v], m.Y[v], m.Z[v] = to(2*m.X[v]-1, 2*m.Y[v]-1, 2*m.Z[v]-1)
	}
	return m
}

func boundaryOf(t testing.TB, m *mesh.Mesh, b *mesh.Solid) map[int32]bool {
	on := map[int32]bool{}
	if m != nil {
		for v, around := range smoothtest.Rings(t, m).Class {
			if around == mesh.Border {
				on[int32(v)] = true
			}
		}
		return on
	}
	skin, err := b.Skin()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range skin {
		on[f.V[0]], on[f.V[1]], on[f.V[2]] = true, true, true
	}
	return on
}

// TestCurvedRefuses proves that smoothers for straight boundaries refuse curved ones, and that tangled meshes cannot
// have any.
func TestCurvedRefuses(t *testing.T) {
	s := defaultSetting()
	s.layout.Ridge = 45
	metric, err := sizing.Linear(sizing.Bounds{X0: -1, Y0: -1, X1: 1, Y1: 1}, .1, .1)
	if err != nil {
		t.Fatal(err)
	}
	err = s.onEachRank(t, smoothtest.Disc(t, 300, 1), metric, Config{Smoother: "pain", Guard: "halve"},
		func(dist.Comm, *layout.Part, *Solver) error { return nil })
	if err == nil {
		t.Error("pain accepts curved rails")
	}
	s.layout.Tangled = true
	if _, err := layout.New(smoothtest.Disc(t, 300, 1), s.layout); err == nil {
		t.Error("a tangled mesh has curved rails")
	}
}
