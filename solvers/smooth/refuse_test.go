package smooth

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
)

// TestRefused: what cannot be smoothed is refused with an id and a reason, on every rank.
func TestRefused(t *testing.T) {
	good := Config{Smoother: "pain", Guard: "none"}
	flipped := rectangle(t, 200, 1)
	flipped.Cells[7][0], flipped.Cells[7][1] = flipped.Cells[7][1], flipped.Cells[7][0]
	crossed := rectangle(t, 200, 1)
	crossed.X[60], crossed.Y[60] = .99, .98
	for name, c := range map[string]struct {
		mesh   *mesh.Mesh
		config Config
		change func(s *setting, m *Metric)
		says   string
	}{
		"orientation": {flipped, good, nil, "cell 7 at"},
		"crossing":    {crossed, good, nil, "turned over or flat; cell"},
		"smoother":    {nil, Config{Smoother: "iron", Guard: "none"}, nil, `smoother "iron" is not known`},
		"guard":       {nil, Config{Smoother: "pain", Guard: "dog"}, nil, `guard "dog" is not known`},
		"relaxation": {nil, Config{Smoother: "pain", Guard: "none", Relax: 2}, nil,
			"relaxation of 2 does not converge"},
		"settled":   {nil, Config{Smoother: "pain", Guard: "none", Settled: math.NaN()}, nil, "settled = NaN"},
		"precision": {nil, good, func(s *setting, _ *Metric) { s.precision = "float16" }, `precision "float16"`},
		"boundary":  {nil, good, func(s *setting, _ *Metric) { s.layout.Boundary = "fly" }, `boundary "fly"`},
		"colouring": {nil, good, func(s *setting, _ *Metric) { s.layout.Colouring = "grey" }, `colouring "grey"`},
		"order":     {nil, good, func(s *setting, _ *Metric) { s.layout.Order = "rcm" }, `order "rcm"`},
		"metric": {nil, good, func(_ *setting, m *Metric) {
			// Positive definite at the nodes, where that was checked, and turned into nonsense since.
			m.field.Samples[0].M12 = 1e9
		}, "vertex 0 at (0, 0): the metric is not positive definite"},
		"flat in float32": {squeezed(t), good, func(s *setting, _ *Metric) { s.precision = "float32" },
			"turned over or flat: its area is"},
	} {
		s := plain()
		s.ranks = 3
		metric := swirl(t)
		if c.change != nil {
			c.change(&s, metric)
		}
		m := c.mesh
		if m == nil {
			m = rectangle(t, 200, 1)
		}
		err := s.on(t, m, metric, c.config, func(dist.Comm, *Part, Solver) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) == 3 && (lines[0] != lines[1] || lines[1] != lines[2]) {
			t.Errorf("%s: ranks differ:\n%v", name, err)
		}
	}
}

// squeezed is sound in float64 and flat in float32.
func squeezed(t testing.TB) *mesh.Mesh {
	m := rectangle(t, 200, 1)
	for v := range m.X {
		m.X[v] = .5 + m.X[v]*1e-8
	}
	return m
}

// TestMetricsRefused: bounds, sizes and tensors that make no metric.
func TestMetricsRefused(t *testing.T) {
	constant := func(m11, m12, m22 float64) func(x, y float64) (float64, float64, float64) {
		return func(x, y float64) (float64, float64, float64) { return m11, m12, m22 }
	}
	nan := math.NaN()
	for says, make := range map[string]func() (*Metric, error){
		"no rectangle": func() (*Metric, error) {
			return Discrete(Bounds{0, 0, 0, 1}, 2, constant(1, 0, 1))
		},
		"bounds [NaN":           func() (*Metric, error) { return Linear(Bounds{nan, 0, 1, 1}, 1, 2) },
		"power of two":          func() (*Metric, error) { return Discrete(unit, 3, constant(1, 0, 1)) },
		"2 to 8192":             func() (*Metric, error) { return Discrete(unit, 1<<30, constant(1, 0, 1)) },
		"not positive definite": func() (*Metric, error) { return Discrete(unit, 2, constant(1, 1, 1)) },
		"m11 = NaN":             func() (*Metric, error) { return Discrete(unit, 2, constant(nan, 0, 1)) },
		"m22 = +Inf": func() (*Metric, error) {
			return Discrete(unit, 2, constant(1, 0, math.Inf(1)))
		},
		"is too large or too small": func() (*Metric, error) { return Discrete(unit, 2, constant(1e200, 0, 1e200)) },
		"compute with: scale the coordinates, or the sizes: m11 = 1e-200": func() (*Metric, error) {
			return Discrete(unit, 2, constant(1e-200, 0, 1e-200))
		},
		"is not positive definite: m11 = 1e+200": func() (*Metric, error) {
			return Discrete(unit, 2, constant(1e200, 2e200, 1e200))
		},
		"or too small for the precision: m11 = 0": func() (*Metric, error) { return Discrete(unit, 2, constant(0, 0, 0)) },
		"m11 = -1":                      func() (*Metric, error) { return Discrete(unit, 2, constant(-1, 0, -1)) },
		"goes from 0 to 2":              func() (*Metric, error) { return Linear(unit, 0, 2) },
		"goes from 1 to -2":             func() (*Metric, error) { return Linear(unit, 1, -2) },
		"sinusoidal metric of -1 waves": func() (*Metric, error) { return Sinusoidal(unit, 1, 2, -1) },
		"sizes of no pieces":            func() (*Metric, error) { return Sizes(unit, nil, nil) },
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

// TestMetrics: the linear metric is one, and the table of the sinusoidal one is good to 1e-12.
func TestMetrics(t *testing.T) {
	b := Bounds{-2, 1, 4, 2}
	linear, err := Linear(b, .5, .05)
	if err != nil {
		t.Fatal(err)
	}
	wave, err := Sinusoidal(b, .1, .3, 2)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 1000 {
		s, u := float64(k)/999, float64((k*k)%1000)/999
		x, y := -2+6*s, 1+u
		for name, c := range map[string]struct {
			of   *Metric
			h    func(s float64) float64
			near float64
		}{
			"linear":     {linear, func(s float64) float64 { return .5 - .45*s }, 1e-13},
			"sinusoidal": {wave, func(s float64) float64 { return .1 + .2*(1+math.Sin(4*math.Pi*s))/2 }, 1e-11},
		} {
			m11, m12, m22 := c.of.At(x, y)
			w, h := 1/math.Sqrt(m11), 1/math.Sqrt(m22)
			if m12 != 0 || math.Abs(w/c.h(s)-1) > c.near || math.Abs(h/c.h(u)-1) > c.near {
				t.Errorf("%s at (%g, %g): sizes %v and %v, want %v and %v", name, x, y, w, h, c.h(s), c.h(u))
			}
		}
	}
	sampled, err := linear.Discretised(64)
	if err != nil {
		t.Fatal(err)
	}
	one, _, two := sampled.At(-2, 2)
	if math.Abs(one*.25-1) > 1e-14 || math.Abs(two*.0025-1) > 1e-14 {
		t.Errorf("sampled at a corner: %g and %g", one, two)
	}
}
