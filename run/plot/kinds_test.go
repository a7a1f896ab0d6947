package plot

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

// Two solvers whose output the tests plot: two layers of water, and a moving mesh without time.
func init() {
	drift := func(name string) solvers.Quantity {
		return solvers.Quantity{Name: name + "_drift", Outputs: solvers.Drift}
	}
	solvers.Register(solvers.Kind{
		Name: "layers",
		Fields: []solvers.Field{
			{Name: "h1", Unit: "m", Mask: "h1"}, {Name: "z1", Unit: "m", Mask: "h1"},
			{Name: "u1", Unit: "m/s", Mask: "h1"}, {Name: "velocity", Unit: "m/s"}, {Name: "depth", Unit: "m"},
			{Name: "normal", Components: []string{"nx", "ny"}, OnRequest: true}, {Name: "alpha", OnRequest: true},
			{Name: "f", Range: &[2]float64{0, 1}}, {Name: "level", Unit: "m", GaugeDefault: true, Mask: "film"},
			{Name: "film", Unit: "m", Mask: "film", MaskThreshold: func(_ *config.Case, start []float64) float64 {
				return slices.Max(start) / 4
			}, Ground: func(field func(string) []float64) []float64 { return field("bed") }},
			{Name: "p", Mask: "fluid"}, {Name: "fluid", OnRequest: true, MaskOptional: true, MaskLabel: "solid"},
		},
		Flows: []solvers.Flow{{Name: "discharge", Unit: "m³/s"}},
		Quantities: []solvers.Quantity{
			{Name: "mass1", Unit: "m³", Outputs: solvers.Column}, {Name: "mass2", Unit: "m³", Outputs: solvers.Column},
			drift("mass1"), drift("mass2"), {Name: "cfl", Outputs: solvers.Column},
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
