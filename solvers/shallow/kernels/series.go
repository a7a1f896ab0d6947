package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Row is the value of a series at a time in s.
type Row struct{ T, Value float64 }

// Series is a time series that determines element Slot of the time-dependent parameters: Count rows from First on,
// linear between them. Two rows of the same time are a jump, and the second holds from this time on. The value after
// the last row is constant; the first row must not be later than the start of the run. At is the current row. Mean
// tells that a step uses the mean over it, and not the values at the times of its stages. Total is the integral over
// all steps of what they used. The series of the rain has another element, Limit, for the longest step that the rain
// allows: see LongestInRain; of other series Limit is 0.
type Series struct {
	Slot, First, Count, At int32
	Limit                  int32
	Mean                   bool
	Longest                float64 // step with a rain of 1 m/s, s
	Total                  float64
}

// EvaluateSeries sets element Slot of now to the value of series k in a stage of the step: the mean over the step, or
// the value at its beginning, or later, at its end. The element of ahead is the largest value from the beginning of
// this step to the end of the next two, each at most twice as long as the one before; in a step of length 0, which
// only finds the limit of the first step, it is the largest value of all. The step length is computed as TileStep
// does.
//
//atoll:kernel
func EvaluateSeries[F num.Float](k int, later bool, clock *Clock[F], limit *atomics.Least[F], rows []Row, list []Series,
	now, ahead []F) {
	c := clock.AtStepStart(limit)
	if c.Stop {
		return
	}
	s := list[k]
	s.seek(rows, c.Time)
	end, until := c.end(), math.Inf(1)
	if c.Dt > 0 {
		until = end + 6*float64(c.Dt)
	}
	value := s.at(rows, s.At, c.Time)
	if s.Mean && c.Dt > 0 {
		value = s.integral(rows, c.Time, end) / float64(c.Dt)
	} else if later && !s.Mean {
		to := s
		to.seek(rows, end)
		value = to.at(rows, to.At, end)
	}
	now[s.Slot] = F(value)
	largest := F(s.largest(rows, c.Time, until))
	ahead[s.Slot] = largest
	if s.Limit > 0 {
		ahead[s.Limit] = LongestInRain(F(s.Longest), largest)
	}
	list[k].At = s.At
	if !later {
		list[k].Total += float64(c.Dt) * float64(F(value))
	}
}

// seek moves to the last row that is not after time t.
func (s *Series) seek(rows []Row, t float64) {
	for s.At+1 < s.Count && rows[s.First+s.At+1].T <= t {
		s.At++
	}
	for s.At > 0 && rows[s.First+s.At].T > t {
		s.At--
	}
}

// at returns the value at time t, where n is the last row that is not after t.
func (s *Series) at(rows []Row, n int32, t float64) float64 {
	from := rows[s.First+n]
	if n+1 >= s.Count || t <= from.T {
		return from.Value
	}
	to := rows[s.First+n+1]
	return from.Value + (to.Value-from.Value)*((t-from.T)/(to.T-from.T))
}

// integral returns the integral from time t, at which the current row is, to end.
func (s *Series) integral(rows []Row, t, end float64) float64 {
	sum, n, value := 0.0, s.At, s.at(rows, s.At, t)
	for n+1 < s.Count && rows[s.First+n+1].T < end {
		n++
		to := rows[s.First+n]
		sum += (to.T - t) * ((value + to.Value) / 2)
		t, value = to.T, to.Value
	}
	return sum + (end-t)*((value+s.at(rows, n, end))/2)
}

// largest returns the largest value from time t, at which the current row is, until another.
func (s *Series) largest(rows []Row, t, until float64) float64 {
	n := s.At
	most := s.at(rows, n, t)
	for n+1 < s.Count && rows[s.First+n+1].T <= until {
		n++
		most = max(most, rows[s.First+n].Value)
	}
	if n+1 < s.Count {
		most = max(most, s.at(rows, n, until))
	}
	return most
}
