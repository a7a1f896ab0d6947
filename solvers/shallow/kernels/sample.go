package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Samples holds the states of sampled cells after the latest steps, for gauges and transects: Times has one element
// per step, at the step number modulo its length, and each step has all sampled cells.
type Samples[F num.Float] struct {
	Cells  []int32
	States []State[F]
	Depths []F       // of the bed, m
	Times  []float64 // at the ends of the steps, s
}

// Sample records the state of sampled cell k after a step. clock is the one that the step has passed on, and limit is
// that of the next step. If no step was taken it records nothing. Index 0 records the time, even if there are no cells.
//
//atoll:kernel
func Sample[F num.Float](k int, clock *Clock[F], limit *atomics.Least[F], s *Samples[F], beds []Bed[F],
	w []State[F]) {
	if !clock.Pending {
		return
	}
	now := clock.AtStepStart(limit)
	at := int(now.Steps % int64(len(s.Times)))
	if k == 0 {
		s.Times[at] = now.Time
	}
	if k < len(s.Cells) {
		cell := s.Cells[k]
		s.States[at*len(s.Cells)+k], s.Depths[at*len(s.Cells)+k] = w[cell], beds[cell].Depth
	}
}

// GatherStates reads the state of cells[k], and the depth of its bed.
//
//atoll:kernel
func GatherStates[F num.Float](k int, cells []int32, beds []Bed[F], w, states []State[F], depths []F) {
	states[k], depths[k] = w[cells[k]], beds[cells[k]].Depth
}
