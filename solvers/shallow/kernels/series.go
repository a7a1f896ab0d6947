package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Row is the value of a series at a time in s.
type Row struct{ T, Value float64 }

// Series is a time series that determines element Slot of the time-dependent parameters: Count rows from First on,
// with linear interpolation and constant extrapolation. At is the current row. Total is the sum over all stages of
// steps of value times step length.
type Series struct {
	Slot, First, Count, At int32
	Total                  float64
}

// EvaluateSeries sets element Slot of now to the value of series k in a stage of the step: at its beginning, or
// later, at its end. It computes the step length as TileStep does.
//
//atoll:kernel
func EvaluateSeries[F num.Float](k int, later bool, clock *Clock[F], limit *atomics.Least[F], rows []Row, list []Series,
	now []F) {
	c := clock.atStepStart(limit)
	if c.Stop {
		return
	}
	t := c.Time
	if later {
		t += float64(c.Dt)
	}
	s := list[k]
	for s.At+1 < s.Count && rows[s.First+s.At+1].T <= t {
		s.At++
	}
	for s.At > 0 && rows[s.First+s.At].T > t {
		s.At--
	}
	from := rows[s.First+s.At]
	value := from.Value
	if s.At+1 < s.Count && t > from.T {
		to := rows[s.First+s.At+1]
		value += (to.Value - from.Value) * ((t - from.T) / (to.T - from.T))
	}
	now[s.Slot] = F(value)
	list[k].At = s.At
	list[k].Total += float64(c.Dt) * value
}
