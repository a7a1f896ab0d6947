package smooth

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

func TestSolidRefusals(t *testing.T) {
	good := twist(t)
	// A size that is 0 between the ends of its piece.
	zero, err := sizing.SolidSizes(unitBox, [3][]sizing.Ends{{ends(1, 1, 0, 0)}, {ends(1, 1, 0, 0)}, {ends(.125, .125, -.5,
		.5)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		spoil  func(m *mesh.Solid, cfg *Config, s *setting)
		metric *sizing.SolidMetric
		want   []string
	}{
		{"inverted", func(m *mesh.Solid, _ *Config, _ *setting) { c := &m.Cells[11]; c[0], c[1] = c[1], c[0] }, good,
			[]string{"tetrahedron 11 ", "inverted"}},
		{"flat in float32", func(m *mesh.Solid, _ *Config, s *setting) {
			s.precision = "float32"
			for v := range m.X {
				m.X[v] += 1 << 25
			}
		}, good, []string{"cell 0 at", "inverted or flat"}},
		{"metric", func(*mesh.Solid, *Config, *setting) {}, zero,
			[]string{"vertex 50 ", "(0, 0, 0.5)", "too large or too small"}},
		{"smoother", func(_ *mesh.Solid, c *Config, _ *setting) { c.Smoother = "x" }, good, []string{`"x"`,
			"pain, pain-exact"}},
		{"tiles", func(_ *mesh.Solid, c *Config, _ *setting) { c.Sweep = "tiles" }, good, []string{`sweep = "tiles"`}},
		{"guard", func(_ *mesh.Solid, c *Config, _ *setting) { c.Guard = "x" }, good, []string{`guard "x"`}},
		{"precision", func(_ *mesh.Solid, _ *Config, s *setting) { s.precision = "half" }, good, []string{`"half"`}},
		{"boundary", func(_ *mesh.Solid, _ *Config, s *setting) { s.layout.Boundary = "x" }, good, []string{`boundary "x"`}},
		{"order", func(_ *mesh.Solid, _ *Config, s *setting) { s.layout.Order = "x" }, good, []string{`order "x"`}},
		{"colouring", func(_ *mesh.Solid, _ *Config, s *setting) { s.layout.Colouring = "x" }, good,
			[]string{`colouring "x"`}},
	} {
		m, cfg, s := cube(t, 4, 0), Config{Smoother: "pain", Guard: "none"}, defaultSetting()
		s.ranks = 2
		c.spoil(m, &cfg, &s)
		err := s.onSolid(m, nil, c.metric, cfg, func(_ dist.Comm, _ *layout.SolidPart, s *Solver) error {
			_, err := s.Sweep(t.Context(), 2)
			return err
		})
		if err == nil {
			t.Errorf("%s: not refused", c.name)
			continue
		}
		for _, w := range c.want {
			if strings.Count(err.Error(), w) == 0 {
				t.Errorf("%s: %q lacks %q", c.name, err, w)
			}
		}
	}
	at := func(m sizing.Six) func(x, y, z float64) sizing.Six {
		return func(x, y, z float64) sizing.Six { return m }
	}
	for name, f := range map[string]func() (*sizing.SolidMetric, error){
		"no box": func() (*sizing.SolidMetric, error) {
			return sizing.SolidDiscrete(sizing.Box{}, 2, at(sizing.Six{1, 0, 0, 1, 0, 1}))
		},
		"no power": func() (*sizing.SolidMetric, error) {
			return sizing.SolidDiscrete(unitBox, 3, at(sizing.Six{1, 0, 0, 1, 0, 1}))
		},
		"indefinite": func() (*sizing.SolidMetric, error) {
			return sizing.SolidDiscrete(unitBox, 2, at(sizing.Six{1, 2, 0, 1, 0, 1}))
		},
		"indefinite by m23": func() (*sizing.SolidMetric, error) {
			return sizing.SolidDiscrete(unitBox, 2, at(sizing.Six{1, 0, 0, 1, 2, 1}))
		},
		"NaN": func() (*sizing.SolidMetric, error) {
			return sizing.SolidDiscrete(unitBox, 2,
				at(sizing.Six{1, 0, 0, 1, math.NaN(), 1}))
		},
		"no sizes": func() (*sizing.SolidMetric, error) { return sizing.SolidSizes(unitBox, [3][]sizing.Ends{}) },
		"a size of 0": func() (*sizing.SolidMetric, error) {
			return sizing.SolidSizes(unitBox, [3][]sizing.Ends{{ends(1, 1, 0, 0)}, {ends(0, 1, 0, 0)}, {ends(1, 1, 0, 0)}})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("a metric of %s is not refused", name)
		}
	}
}

// TestSolidTooFar proves that a move whose length in the metric overflows is an error on all ranks.
func TestSolidTooFar(t *testing.T) {
	m := cube(t, 3, .1)
	box := unitBox
	for v := range m.X {
		m.X[v], m.Y[v], m.Z[v] = 1e100*m.X[v], 1e100*m.Y[v], 1e100*m.Z[v]
	}
	box.High = [3]float64{1e100, 1e100, 1e100}
	metric, err := sizing.SolidDiscrete(box, 2, func(_, _, _ float64) sizing.Six {
		return sizing.Six{1, 0, 0, 1, 0,
			1e112}
	})
	if err != nil {
		t.Fatal(err)
	}
	s := defaultSetting()
	s.ranks = 2
	err = s.onSolid(m, nil, metric, Config{Smoother: "pain", Guard: "none"},
		func(_ dist.Comm, _ *layout.SolidPart, s *Solver) error {
			_, err := s.Sweep(t.Context(), 1)
			return err
		})
	if err == nil || strings.Count(err.Error(), "within 1 sweep a vertex displacement is not finite") != 2 {
		t.Errorf("%v", err)
	}
}

func ends(h0, h1, d0, d1 float64) sizing.Ends { return sizing.Ends{H0: h0, H1: h1, D0: d0, D1: d1} }
