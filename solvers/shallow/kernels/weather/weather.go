// Package weather has the kernels of rain, wind and pressure that are fields over time. The rain of two intervals is on
// the device, in slots. A prescribed number tells the weight of each slot in a step: the mean over the step of a
// function that is 1 in its interval. Of wind and pressure there is what is known at three times: air.Course.
package weather

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
)

// Weights are the indices of the weights of slots among the prescribed numbers.
type Weights struct{ First, Second int32 }

// Rain computes the rain on cell i, m/s: the mean over a step in two intervals.
//
//atoll:kernel
func Rain[F num.Float](i int, weights Weights, prescribed, first, second, rain []F) {
	rain[i] = prescribed[weights.First]*first[i] + prescribed[weights.Second]*second[i]
}

// Bound bounds the length of the next step while a weight is above 0 until the end of it; always if Weight is -1.
type Bound[F num.Float] struct {
	Weight int32 // index among the prescribed numbers
	Length F     // s
}

// Limit bounds the length of the next step by bound k.
//
//atoll:kernel
func Limit[F num.Float](k int, bounds []Bound[F], ahead []F, clock *kernels.Clock[F], limit, next *atomics.Least[F]) {
	now := clock.AtStepStart(limit)
	if now.Stop {
		return
	}
	if bounds[k].Weight < 0 || ahead[bounds[k].Weight] > 0 {
		next.Take(bounds[k].Length)
	}
}

// Course tells the times of what is on the device of a field that is linear between times.
type Course[F num.Float] struct {
	First, Second, Third float64 // times, s
	Longest              F       // length of a step that goes from before Second at most to Third, s
	At                   int32   // see air.Course
}

// Share computes the shares of the changes of field k in a step, and bounds the length of the next one.
//
//atoll:kernel
func Share[F num.Float](k int, courses []Course[F], clock *kernels.Clock[F], limit *atomics.Least[F], prescribed []F,
	next *atomics.Least[F]) {
	now := clock.AtStepStart(limit)
	if now.Stop {
		return
	}
	c, end := courses[k], now.Time+float64(now.Dt)
	prescribed[c.At] = F(rise(now.Time, end, c.First, c.Second))
	prescribed[c.At+1] = F(rise(now.Time, end, c.Second, c.Third))
	next.Take(c.Longest)
}

// Raised are the indices of two prescribed numbers: a level, and what it is at a boundary edge.
type Raised struct{ Level, To int32 }

// Raise adds to the level at boundary edge k what the pressure of the air raises it by: component X of a field, as in
// air.Course.
//
//atoll:kernel
func Raise[F num.Float](k int, edges []Raised, at int32, first, change, later []air.Vector[F], prescribed, ahead []F) {
	e, rise := edges[k], first[k].X
	second := rise + change[k].X
	most := num.Larger(num.Larger(rise, second), second+later[k].X)
	rise += prescribed[at]*change[k].X + prescribed[at+1]*later[k].X
	prescribed[e.To] = prescribed[e.Level] + rise
	ahead[e.To] = ahead[e.Level] + most
}

// rise returns the mean, between two times, of a function that grows from 0 to 1 between low and high.
func rise(begin, end, low, high float64) float64 {
	if end <= low || !(low < high) {
		return 0
	}
	if begin >= high {
		return 1
	}
	from, to := num.Larger(begin, low), num.Smaller(end, high)
	middle := (from - low + (to - low)) / (2 * (high - low))
	if !(end > begin) {
		return middle
	}
	return ((to-from)*middle + num.Larger(end-high, 0)) / (end - begin)
}
