package smooth

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// TestRescaleKinds proves for each kind of metric that the mesh's area in it, after scaling, is that of as many
// triangles as it has, for any initial factor of the metric.
func TestRescaleKinds(t *testing.T) {
	m := smoothtest.Rectangle(t, 2000, 3)
	at := func(factor float64) func(x, y float64) (m11, m12, m22 float64) {
		return func(x, y float64) (m11, m12, m22 float64) {
			a, b, c := 1+x, .3*y, 2+x*y
			return factor * a, factor * b, factor * c
		}
	}
	kinds := map[string]func(factor float64) (*sizing.Metric, error){
		"grid": func(k float64) (*sizing.Metric, error) { return sizing.Discrete(unit, 64, at(k)) },
		"mesh": func(k float64) (*sizing.Metric, error) { return sizing.OnMesh(m, fieldOf(t, m, at(k))) },
		"sizes": func(k float64) (*sizing.Metric, error) {
			return sizing.Linear(unit, .5/math.Sqrt(k), .05/math.Sqrt(k))
		},
	}
	for name, make := range kinds {
		var scales [2]float64
		for k, factor := range []float64{1, 1e4} {
			of, err := make(factor)
			if err != nil {
				t.Fatal(err)
			}
			s := defaultSetting()
			cfg := Config{Smoother: "pain", Guard: "halve", Rescale: true}
			err = s.onEachRank(t, m, of, cfg, func(_ dist.Comm, p *layout.Part, solver *Solver) error {
				scales[k] = solver.Scale()
				sum := 0.0
				for _, c := range m.Cells {
					var t [3]float64
					for _, v := range c {
						a, b, d := of.At(m.X[v], m.Y[v])
						t[0], t[1], t[2] = t[0]+a/3, t[1]+b/3, t[2]+d/3
					}
					a, b, d := c[0], c[1], c[2]
					area := (m.X[b]-m.X[a])*(m.Y[d]-m.Y[a]) - (m.X[d]-m.X[a])*(m.Y[b]-m.Y[a])
					sum += area / 2 * solver.Scale() * math.Sqrt(t[0]*t[2]-t[1]*t[1])
				}
				if want := math.Sqrt(3) / 4 * float64(len(m.Cells)); math.Abs(sum-want) > 1e-9*want {
					t.Errorf("%s: the area in the metric is %g, want %g", name, sum, want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if r := scales[0] / scales[1]; math.Abs(r-1e4) > 1e-6 {
			t.Errorf("%s: factors %v", name, scales)
		}
	}
}
