package problem

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow/soils"
)

// Soil is the part of section [forcing] that describes the soil by a model: at most one of the three.
type Soil struct {
	GreenAmpt                   *GreenAmpt
	InitialLoss, ContinuingLoss *config.Field // m; m/s
	CurveNumber                 *config.Field // of the Soil Conservation Service, in (0, 100]
	InitialAbstraction          float64       // with it, as a share of the storage; 0.2
}

// GreenAmpt is the table green_ampt.
type GreenAmpt struct {
	Conductivity, Suction, Deficit config.Field // m/s, m, and of moisture
	Ponding                        bool         // the water on the ground adds to the suction
}

// soilKeys are the keys of the models, each of which excludes the others.
var soilKeys = []string{"infiltration", "green_ampt", "initial_loss", "curve_number"}

// keys declares the keys of the models.
func (soil *Soil) keys(rains bool, key func(*config.Spec)) {
	key(config.OptionalTable("green_ampt", &soil.GreenAmpt, (*GreenAmpt).keys, "{ conductivity = 3e-6, suction = 0.11, "+
		"deficit = 0.3 }", "`{ conductivity = 3e-6, suction = 0.11, deficit = 0.3 }`, fields: saturated conductivity in "+
		"m/s, suction at the wetting front in m, deficit of moisture as a share. `ponding = true` adds the depth of the "+
		"water to the suction"))
	const rain = "needs rain too"
	key(config.OptionalField("initial_loss", "m", &soil.InitialLoss, "field: rain that is lost at first").
		When(rains, rain))
	key(config.OptionalField("continuing_loss", "m/s", &soil.ContinuingLoss, "field: rain that is lost after that, "+
		"while it rains").When(soil.InitialLoss != nil, "needs initial_loss too").Otherwise("0"))
	key(config.OptionalField("curve_number", "1", &soil.CurveNumber, "field: the curve number (1 to 100) of the Soil "+
		"Conservation Service").When(rains, rain))
	key(config.Real("initial_abstraction", "", &soil.InitialAbstraction, config.NonNegative.Or(0.2), "with "+
		"`curve_number`: the initial abstraction as a share of the storage").
		When(soil.CurveNumber != nil, "needs curve_number too"))
}

// keys declares the keys of the table.
func (g *GreenAmpt) keys(key func(*config.Spec)) {
	key(config.Spatial("conductivity", "m/s", &g.Conductivity, config.Required, "field: saturated conductivity"))
	key(config.Spatial("suction", "m", &g.Suction, config.Required, "field: suction at the wetting front"))
	key(config.Spatial("deficit", "1", &g.Deficit, config.Required, "field: deficit of moisture as a share"))
	key(config.Flag("ponding", &g.Ponding, false, "the depth of the water on the ground adds to the suction").IfSet())
}

// check refuses several models.
func (soil *Soil) check(s *config.Section) {
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

// evaluate returns the parameters of the model in the cells of a part, nil for no model.
func (s *Soil) evaluate(ctx context.Context, c *config.Case, part *mesh.Part, markers *domain.Markers) (*soils.Soil,
	error) {
	var err error
	values := func(f *config.Field, least, most float64, what string) []float64 {
		if f == nil || err != nil {
			return nil
		}
		var all map[string][]float64
		if all, err = domain.Evaluate(ctx, c, []config.Field{*f}, part, markers); err != nil {
			err = fmt.Errorf("[forcing] %w", err)
			return nil
		}
		for i, v := range all[f.Name] {
			if v < least || v > most {
				x, y := part.Centroid(i)
				err = fmt.Errorf("[forcing] %s at cell %d at (%g, %g) is %g: it must be %s", f.Name, part.Global[i], x, y, v, what)
				return nil
			}
		}
		return all[f.Name]
	}
	const any = 1e300
	switch {
	case s.GreenAmpt != nil:
		g := s.GreenAmpt
		soil := &soils.Soil{Model: "green-ampt", Rate: values(&g.Conductivity, 0, any, "at least 0"),
			Depth: values(&g.Suction, 0, any, "at least 0")}
		deficit := values(&g.Deficit, 0, 1, "a share, from 0 to 1")
		if err != nil {
			return nil, err
		}
		for i := range deficit {
			soil.Depth[i] *= deficit[i]
		}
		if g.Ponding {
			soil.Deficit = deficit
		}
		return soil, nil
	case s.InitialLoss != nil:
		soil := &soils.Soil{Model: "initial-continuing", Depth: values(s.InitialLoss, 0, any, "at least 0"),
			Rate: values(s.ContinuingLoss, 0, any, "at least 0")}
		return soil, err
	case s.CurveNumber != nil:
		number := values(s.CurveNumber, 1, 100, "from 1 to 100")
		soil := &soils.Soil{Model: "curve-number"}
		for _, n := range number {
			storage := .0254 * (1000/n - 10) // m
			soil.Storage, soil.Depth = append(soil.Storage, storage), append(soil.Depth, s.InitialAbstraction*storage)
		}
		return soil, err
	}
	return nil, nil
}

// given reports whether there is a model.
func (s *Soil) given() bool {
	return s.GreenAmpt != nil || s.InitialLoss != nil || s.CurveNumber != nil
}
