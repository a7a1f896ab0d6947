package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Samples is what the latest steps left in some cells, for gauges and transects: so many steps as Times has room for,
// each at its number modulo that, and in each of them the cells.
type Samples[F num.Float] struct {
	Cells  []int32
	States []State[F]
	Depths []F       // of the bed, m
	Times  []float64 // at the ends of the steps, s
}

// Sample keeps what a step has left in sampled cell k: clock is the one that the step handed on, and waves what the
// next step finds. A step that was not taken leaves nothing. Index 0 is there without a cell too, for the time.
//
//atoll:kernel
func Sample[F num.Float](k int, clock *Clock[F], waves *atomics.Least[F], s *Samples[F], beds []Bed[F],
	w []State[F]) {
	if !clock.Pending {
		return
	}
	now := clock.atStepStart(waves)
	at := int(now.Steps % int64(len(s.Times)))
	if k == 0 {
		s.Times[at] = now.Time
	}
	if k < len(s.Cells) {
		cell := s.Cells[k]
		s.States[at*len(s.Cells)+k], s.Depths[at*len(s.Cells)+k] = w[cell], beds[cell].Depth
	}
}

// GatherStates reads the state of the k-th of some cells, and the depth of its bed.
//
//atoll:kernel
func GatherStates[F num.Float](k int, cells []int32, beds []Bed[F], w, states []State[F], depths []F) {
	states[k], depths[k] = w[cells[k]], beds[cells[k]].Depth
}
