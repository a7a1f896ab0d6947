// Package soils has the models of the soil that takes water.
package soils

import (
	"fmt"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/soil"
)

// Soil has a model of infiltration, and its parameters in all cells. A nil field is 0.
type Soil struct {
	Model   string    // green-ampt, initial-continuing or curve-number: see soil.Model
	Rate    []float64 // conductivity, or continuing loss, m/s
	Depth   []float64 // suction times deficit of moisture, initial loss, or initial abstraction, m
	Deficit []float64 // of moisture, with which ponded water adds to the suction
	Storage []float64 // of the curve number, m
}

// models are the models by their names.
var models = map[string]soil.Model{"green-ampt": soil.GreenAmpt,
	"initial-continuing": soil.InitialContinuing, "curve-number": soil.CurveNumber}

// Cells returns the model of a soil, and the parameters of the first n cells.
func Cells[F num.Float](s *Soil, n int) (soil.Model, []soil.Soil[F], error) {
	model, ok := models[s.Model]
	if !ok {
		return 0, nil, fmt.Errorf("model of the soil %q is not known; choose green-ampt, initial-continuing or "+
			"curve-number", s.Model)
	}
	value := func(field []float64, i int) F {
		if field == nil {
			return 0
		}
		return F(field[i])
	}
	list := make([]soil.Soil[F], n)
	for i := range list {
		list[i] = soil.Soil[F]{Rate: value(s.Rate, i), Depth: value(s.Depth, i), Deficit: value(s.Deficit, i),
			Storage: value(s.Storage, i)}
	}
	return model, list, nil
}
