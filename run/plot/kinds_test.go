package plot

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

// The solvers whose output the tests draw: two layers of water, and a mesh that moves without time.
func init() {
	drift := func(name string) solvers.Quantity { return solvers.Quantity{Name: name + "_drift", In: solvers.Drift} }
	solvers.Register(solvers.Kind{
		Name: "layers",
		Fields: []solvers.Field{
			{Name: "h1", Unit: "m", Where: "h1"}, {Name: "z1", Unit: "m", Where: "h1"},
			{Name: "u1", Unit: "m/s", Where: "h1"}, {Name: "velocity", Unit: "m/s"}, {Name: "depth", Unit: "m"},
			{Name: "normal", Components: []string{"nx", "ny"}, Aside: true}, {Name: "alpha", Aside: true},
			{Name: "f", Range: &[2]float64{0, 1}}, {Name: "level", Unit: "m", Level: true, Where: "film"},
			{Name: "film", Unit: "m", Where: "film", Absent: func(_ *config.Case, start []float64) float64 {
				return slices.Max(start) / 4
			}},
		},
		Flows: []solvers.Flow{{Name: "discharge", Unit: "m³/s"}},
		Quantities: []solvers.Quantity{
			{Name: "mass1", Unit: "m³", In: solvers.Column}, {Name: "mass2", Unit: "m³", In: solvers.Column},
			drift("mass1"), drift("mass2"), {Name: "cfl", In: solvers.Column},
		},
	})
	solvers.Register(solvers.Kind{
		Name: "moving", Sweeps: true,
		Fields: []solvers.Field{{Name: "quality", Range: &[2]float64{0, 1}, Compared: true}},
		Quantities: []solvers.Quantity{
			{Name: "quality_mean", Panel: "quality"}, {Name: "quality_min", Panel: "quality"},
			{Name: "objective", Panel: "½Σ u'Mu"},
		},
	})
}
