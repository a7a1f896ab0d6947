package soils

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
)

// Section is the part of section [forcing] that describes the soil by a model, besides its coefficients: at most one of
// four.
type Section struct {
	GreenAmpt          *GreenAmpt // nil for none
	Horton             *Horton    // nil for none
	InitialAbstraction float64    // of the curve number, as a share of the storage; 0.2
}

// GreenAmpt is the table green_ampt, besides its coefficients.
type GreenAmpt struct {
	Ponding bool // the water on the ground adds to the suction
}

// Horton is the table horton, which has only coefficients.
type Horton struct{}

// soilKeys are the keys of the models, each of which excludes the others.
var soilKeys = []string{"infiltration", "green_ampt", "horton", coefficients.InitialLoss, coefficients.CurveNumber}

// Keys declares the keys of the models.
func (soil *Section) Keys(fields coefficients.Fields, key func(*config.Spec)) {
	key(config.OptionalTable("green_ampt", &soil.GreenAmpt, func(g *GreenAmpt, key func(*config.Spec)) {
		fields.Keys("forcing", "green_ampt", 1, nil, key)
		key(config.Flag("ponding", &g.Ponding, false, "the depth of the water on the ground adds to the suction").IfSet())
	}, "{ conductivity = 3e-6, suction = 0.11, deficit = 0.3 }", "`{ conductivity = 3e-6, suction = 0.11, "+
		"deficit = 0.3 }`, fields: saturated conductivity in m/s, suction at the wetting front in m, deficit of moisture as "+
		"a share. `ponding = true` adds the depth of the water to the suction"))
	key(config.OptionalTable("horton", &soil.Horton, func(_ *Horton, key func(*config.Spec)) {
		fields.Keys("forcing", "horton", 1, nil, key)
	}, "{ initial_rate = 2e-5, final_rate = 2e-6, decay = 1e-3 }", "`{ initial_rate = \"80 mm/h\", final_rate = "+
		"\"6 mm/h\", decay = 1e-3 }`, fields: Horton's rate of dry soil and that at last, in m/s, and the k of the decay "+
		"from the one to the other in 1/s"))
	key(config.Real("initial_abstraction", "", &soil.InitialAbstraction, config.NonNegative.Or(0.2), "with "+
		"`curve_number`: the initial abstraction as a share of the storage").
		When(fields[coefficients.CurveNumber] != nil, "needs curve_number too"))
}

// Check refuses several models.
func (soil *Section) Check(s *config.Section) {
	first := ""
	for _, key := range soilKeys {
		switch {
		case !s.Has(key):
		case first != "":
			s.Fail(key, "cannot be combined with %s: both tell what the soil takes", first)
		default:
			first = key
		}
	}
}

// Options returns what the solver needs besides coefficients.
func (soil *Section) Options() Options {
	return Options{Ponding: soil.GreenAmpt != nil && soil.GreenAmpt.Ponding, Abstraction: soil.InitialAbstraction}
}
