package problem

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// Soil is the part of section [forcing] that describes the soil by a model: at most one of the three.
type Soil struct {
	Conductivity, Suction, Deficit *config.Field // green_ampt: m/s, m, and of moisture
	Ponding                        bool          // green_ampt: the water on the ground adds to the suction; false
	InitialLoss, ContinuingLoss    *config.Field // m; m/s
	CurveNumber                    *config.Field // of the Soil Conservation Service, in (0, 100]
	InitialAbstraction             float64       // with it, as a share of the storage; 0.2
}

// soilKeys are the keys of the models, each of which excludes the others.
var soilKeys = []string{"infiltration", "green_ampt", "initial_loss", "curve_number"}

func decodeSoil(s *config.Section, layers int) (soil Soil) {
	optional := func(s *config.Section, key string) *config.Field {
		if s.Know(key); !s.Has(key) {
			return nil
		}
		f := s.Field(key, config.Required, nil, "")
		return &f
	}
	if s.Know("green_ampt"); s.Has("green_ampt") {
		if table, ok := s.Within("green_ampt"); ok {
			for key, to := range map[string]**config.Field{"conductivity": &soil.Conductivity, "suction": &soil.Suction,
				"deficit": &soil.Deficit} {
				f := table.Field(key, config.Required, nil, "")
				*to = &f
			}
			soil.Ponding = table.Boolean("ponding", false)
			table.Finish()
		} else {
			s.Fail("green_ampt", "must be a table: { conductivity = 3e-6, suction = 0.11, deficit = 0.3 }")
		}
	}
	soil.InitialLoss, soil.ContinuingLoss = optional(s, "initial_loss"), optional(s, "continuing_loss")
	soil.CurveNumber = optional(s, "curve_number")
	soil.InitialAbstraction = s.Number("initial_abstraction", config.NonNegative.Or(0.2))
	first := ""
	for _, key := range soilKeys {
		switch {
		case !s.Has(key):
		case layers == 2 && key != "infiltration":
			s.Fail(key, "is for one layer: fresh water on two layers would need its own density")
		case first != "":
			s.Fail(key, "cannot be combined with %s: both tell what the soil takes", first)
		default:
			first = key
		}
	}
	for _, pair := range [][2]string{{"initial_loss", "rain"}, {"curve_number", "rain"},
		{"continuing_loss", "initial_loss"}, {"initial_abstraction", "curve_number"}} {
		if s.Has(pair[0]) && !s.Has(pair[1]) {
			s.Fail(pair[0], "needs %s too", pair[1])
		}
	}
	return soil
}

// print prints the keys of the model.
func (s *Soil) print(pair func(key string, value any)) {
	switch {
	case s.Conductivity != nil:
		table := config.Inline{{"conductivity", *s.Conductivity}, {"suction", *s.Suction}, {"deficit", *s.Deficit}}
		if s.Ponding {
			table = append(table, config.Inline{{"ponding", true}}...)
		}
		pair("green_ampt", table)
	case s.InitialLoss != nil:
		pair("initial_loss", *s.InitialLoss)
		if s.ContinuingLoss != nil {
			pair("continuing_loss", *s.ContinuingLoss)
		}
	case s.CurveNumber != nil:
		pair("curve_number", *s.CurveNumber)
		pair("initial_abstraction", s.InitialAbstraction)
	}
}

// evaluate returns the parameters of the model in the cells of a part, nil for no model.
func (s *Soil) evaluate(ctx context.Context, c *config.Case, part *mesh.Part, markers *domain.Markers) (*shallow.Soil,
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
	case s.Conductivity != nil:
		soil := &shallow.Soil{Model: "green-ampt", Rate: values(s.Conductivity, 0, any, "at least 0"),
			Depth: values(s.Suction, 0, any, "at least 0")}
		deficit := values(s.Deficit, 0, 1, "a share, from 0 to 1")
		if err != nil {
			return nil, err
		}
		for i := range deficit {
			soil.Depth[i] *= deficit[i]
		}
		if s.Ponding {
			soil.Deficit = deficit
		}
		return soil, nil
	case s.InitialLoss != nil:
		soil := &shallow.Soil{Model: "initial-continuing", Depth: values(s.InitialLoss, 0, any, "at least 0"),
			Rate: values(s.ContinuingLoss, 0, any, "at least 0")}
		return soil, err
	case s.CurveNumber != nil:
		number := values(s.CurveNumber, 1, 100, "from 1 to 100")
		soil := &shallow.Soil{Model: "curve-number"}
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
	return s.Conductivity != nil || s.InitialLoss != nil || s.CurveNumber != nil
}
