package smooth

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// TestRefused proves that a mesh or metric that cannot be smoothed is refused with an id and a reason, on every rank.
func TestRefused(t *testing.T) {
	good := Config{Smoother: "pain", Guard: "none"}
	flipped := smoothtest.Rectangle(t, 200, 1)
	flipped.Cells[7][0], flipped.Cells[7][1] = flipped.Cells[7][1], flipped.Cells[7][0]
	crossed := smoothtest.Rectangle(t, 200, 1)
	crossed.X[60], crossed.Y[60] = .99, .98
	for name, c := range map[string]struct {
		mesh   *mesh.Mesh
		config Config
		change func(s *setting, m *sizing.Metric)
		says   string
	}{
		"orientation": {flipped, good, nil, "cell 7 at"},
		"crossing":    {crossed, good, nil, "triangles; cell"},
		"smoother":    {nil, Config{Smoother: "iron", Guard: "none"}, nil, `smoother "iron" is not known`},
		"guard":       {nil, Config{Smoother: "pain", Guard: "dog"}, nil, `guard "dog" is not known`},
		"relaxation": {nil, Config{Smoother: "pain", Guard: "none", Relax: 2}, nil,
			"relaxation of 2 does not converge"},
		"settled":   {nil, Config{Smoother: "pain", Guard: "none", Settled: math.NaN()}, nil, "settled = NaN"},
		"precision": {nil, good, func(s *setting, _ *sizing.Metric) { s.precision = "float16" }, `precision "float16"`},
		"boundary":  {nil, good, func(s *setting, _ *sizing.Metric) { s.layout.Boundary = "fly" }, `boundary "fly"`},
		"colouring": {nil, good, func(s *setting, _ *sizing.Metric) { s.layout.Colouring = "grey" }, `colouring "grey"`},
		"order":     {nil, good, func(s *setting, _ *sizing.Metric) { s.layout.Order = "rcm" }, `order "rcm"`},
		"metric": {nil, good, func(_ *setting, m *sizing.Metric) {
			// Positive definite at the nodes when it was checked, and made invalid since.
			m.Field.Samples[0].M12 = 1e9
		}, "vertex 0 at (0, 0): the metric is not positive definite"},
		"flat in float32": {flatInFloat32(t), good, func(s *setting, _ *sizing.Metric) { s.precision = "float32" },
			"inverted or flat: its area is"},
	} {
		s := defaultSetting()
		s.ranks = 3
		metric := swirl(t)
		if c.change != nil {
			c.change(&s, metric)
		}
		m := c.mesh
		if m == nil {
			m = smoothtest.Rectangle(t, 200, 1)
		}
		err := s.onEachRank(t, m, metric, c.config, func(dist.Comm, *layout.Part, *Solver) error { return nil })
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

// flatInFloat32 returns a mesh that is valid in float64 and has flat triangles in float32.
func flatInFloat32(t testing.TB) *mesh.Mesh {
	m := smoothtest.Rectangle(t, 200, 1)
	for v := range m.X {
		m.X[v] = .5 + m.X[v]*1e-8
	}
	return m
}
