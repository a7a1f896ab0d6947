// Package soils has the models of the soil that takes water.
package soils

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/soil"
)

// Options are what the models have besides coefficients.
type Options struct {
	Ponding     bool    // of Green and Ampt's: ponded water adds to the suction
	Abstraction float64 // of the curve number's: the initial abstraction as a share of the storage
}

// Cells returns the model to which coefficients belong, and its parameters in the first n cells; nil for none.
func Cells[F num.Float](v coefficients.Values, o Options, n int) (soil.Model, []soil.Soil[F]) {
	list := make([]soil.Soil[F], n)
	switch {
	case v[coefficients.Conductivity] != nil:
		for i, deficit := range v[coefficients.Deficit][:n] {
			list[i] = soil.Soil[F]{Rate: F(v[coefficients.Conductivity][i]), Depth: F(v[coefficients.Suction][i] * deficit)}
			if o.Ponding {
				list[i].Deficit = F(deficit)
			}
		}
		return soil.GreenAmpt, list
	case v[coefficients.InitialLoss] != nil:
		for i, loss := range v[coefficients.InitialLoss][:n] {
			list[i].Depth = F(loss)
			if rate := v[coefficients.ContinuingLoss]; rate != nil {
				list[i].Rate = F(rate[i])
			}
		}
		return soil.InitialContinuing, list
	case v[coefficients.CurveNumber] != nil:
		for i, number := range v[coefficients.CurveNumber][:n] {
			storage := .0254 * (1000/number - 10) // m
			list[i] = soil.Soil[F]{Depth: F(o.Abstraction * storage), Scale: F(storage)}
		}
		return soil.CurveNumber, list
	case v[coefficients.InitialRate] != nil:
		for i, first := range v[coefficients.InitialRate][:n] {
			last, decay := v[coefficients.FinalRate][i], v[coefficients.Decay][i]
			list[i] = soil.Soil[F]{Rate: F(last), Depth: F((first - last) / decay), Scale: F(decay)}
		}
		return soil.Horton, list
	}
	return 0, nil
}
