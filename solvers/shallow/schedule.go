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
	_, records := s.dev.(backend.Recorder)
	if records && s.tiled && (s.comm.Size() == 1 || s.linked != nil) {
		s.schedule.queue = queue
	}
}
