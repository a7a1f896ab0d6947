package shallow

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// schedule is how a rank takes its steps, chosen once by chooseSchedule:
//
//	                  sweep: one step, whose length   queue: one of several queued steps, whose
//	                  the host reduces over ranks     lengths the devices reduce
//	order 1, cells    sweepCells                      -
//	order 1, tiles    sweepTiles                      queueTiles
//	order 2, cells    sweepStages                     -
//	order 2, tiles    sweepTiledStages                queueStages
//
// Steps are queued on devices that can record, if the rank is alone or the devices are linked.
type schedule struct {
	sweep func(ctx context.Context, l loops) error
	queue func(ctx context.Context, k cycleStep) error // nil if steps are not queued
}

func (s *solver[F]) chooseSchedule() {
	queue := s.queueTiles
	switch {
	case s.middle != nil && s.tiled:
		s.sweep, queue = s.sweepTiledStages, s.queueStages
	case s.middle != nil:
		s.sweep = s.sweepStages
	case s.tiled:
		s.sweep = s.sweepTiles
	default:
		s.sweep = s.sweepCells
	}
	if len(s.distributed) > 0 && s.comm.Size() > 1 {
		return // the host joins the conveyances of all ranks in each step
	}
	_, records := s.dev.(backend.Recorder)
	if records && s.tiled && (s.comm.Size() == 1 || s.linked != nil) {
		s.schedule.queue = queue
	}
}

// cycleLength is the number of steps after which the use of states, clocks and limits repeats.
const cycleLength = 4

// cycleStep is the number of a step, modulo cycleLength. States, clocks and limits rotate, so that nothing is copied
// between steps, and several steps can be queued without the host:
//
//	                            step k reads    and writes
//	state                       k%2             (k+1)%2
//	clock                       k               k+1: by a kernel if steps are queued, else by the host
//	limit of the step's length  k               k+1; it clears k+2
//	the same, if steps lag      k-1             k+1; it clears k+2
//
// A limit is the largest step that the waves of a state allow. Limits k-1 to k+2 are in use at the same time, hence a
// cycle of four.
type cycleStep int

// plus is the step that is n later.
func (k cycleStep) plus(n int) cycleStep { return (k + cycleStep(n)) % cycleLength }

// from returns the index of the state before the step, and to that of the state after it.
func (k cycleStep) from() int { return int(k % 2) }
func (k cycleStep) to() int   { return int(1 - k%2) }

// limit returns the index of the limit that sets the length of the step.
func (k cycleStep) limit(lag bool) cycleStep {
	if lag {
		return k.plus(cycleLength - 1)
	}
	return k
}
