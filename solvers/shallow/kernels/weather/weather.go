// Package weather has the kernels of rain that is a field over time. The rain of two intervals is on the device, in
// slots. A prescribed number tells the weight of each slot in a step: the mean over the step of a function that is 1 in
// its interval.
package weather

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
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
