package smooth

import (
	"context"
	"errors"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// If a rank is alone, or its device exchanges ghosts with other devices, several sweeps are recorded once and then
// queued with one call, without the host. The device counts sweeps, for kernels that need the number.

// sweepsPerRecording is even, so that sweeps by tiles end in the array in which they began.
const sweepsPerRecording = layout.MaxBatch

// windowInterval is the number of sweeps between updates of the tiles' windows on the metric. During the first of these
// intervals windows are updated before every recording, since vertices then move far.
const windowInterval = 64

// maxQueued bounds the number of sweeps that are queued at a time, so that a run can be interrupted.
const maxQueued = 1024

// canRecord reports whether sweeps can run without the host. Those of hybrid cannot, which needs the mean quality
// before each sweep; for barrier see raisesFloor.
func (s *engine[F, V]) canRecord() bool {
	_, records := s.dev.(backend.Recorder)
	return records && s.exchangesAlone() && s.cfg.Smoother != "hybrid" && s.stages == nil
}

// exchangesAlone reports whether the host takes no part in exchanges.
func (s *engine[F, V]) exchangesAlone() bool { return s.comm.Size() == 1 || s.deviceGhosts != nil }

// repeatSweeps takes up to `sweeps` sweeps in recordings, and returns how many it took: a multiple of
// sweepsPerRecording. With tiles it does so even without recordings, except for the last few, since their sweeps
// begin and end with copies.
func (s *engine[F, V]) repeatSweeps(ctx context.Context, sweeps int) (int, error) {
	if sweeps < sweepsPerRecording || !s.canRecord() && !s.tiled {
		return 0, nil
	}
	if err := backend.Upload(s.dev, s.control, s.hostControl[:]); err != nil {
		return 0, err
	}
	if s.tiled {
		s.run(s.toTiles)
		defer s.run(s.fromTiles)
	}
	made := 0
	for ; made+sweepsPerRecording <= sweeps; made += sweepsPerRecording {
		if made%maxQueued == 0 {
			if err := s.wait(ctx); err != nil {
				return made, err
			}
		}
		if s.tiled && (made < windowInterval || made%windowInterval == 0) {
			s.run(s.centreWindows)
		}
		if err := s.queueRecording(ctx); err != nil {
			return made, err
		}
		s.hostControl[0].Sweep += sweepsPerRecording
	}
	if s.tiled {
		return made, s.refreshGhosts(ctx)
	}
	return made, nil
}

// queueRecording queues the sweeps of a recording.
func (s *engine[F, V]) queueRecording(ctx context.Context) error {
	queue := func() error { return s.queue(ctx, sweepsPerRecording) }
	if !s.canRecord() {
		return queue()
	}
	return s.sweeps.Queue(s.dev, queue)
}

// queueSets queues sweeps set by set.
func (s *engine[F, V]) queueSets(ctx context.Context, sweeps int) error {
	for range sweeps {
		for set := range s.sentPasses {
			if err := s.moveSet(ctx, set); err != nil {
				return err
			}
		}
		if s.params.Cull {
			s.dev.Run(s.count, 0, 1)
		}
		if s.deviceGhosts == nil {
			continue
		}
		if err := s.exchangeAll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until the device has done what was queued, or until the run is cancelled.
func (s *engine[F, V]) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m, separate := s.dev.(backend.Memory); separate {
		return m.Sync()
	}
	return nil
}

func (s *engine[F, V]) run(passes []pass) {
	for _, p := range passes {
		s.dev.Run(p.loop, p.lo, p.hi)
	}
}

// raisesFloor reports whether the device raises the floor of barrier after each sweep, so that the host need not wait
// between two measurements.
func (s *engine[F, V]) raisesFloor() bool {
	return s.stages != nil && !s.params.Cull && s.exchangesAlone()
}

// repeatWithFloor takes a number of sweeps of barrier, before each of which it raises the floor to the worst quality.
func (s *engine[F, V]) repeatWithFloor(ctx context.Context, sweeps int) error {
	if sweeps == 0 {
		return nil
	}
	s.hostWorst[0].Reset()
	if err := backend.Upload(s.dev, s.worstQuality, s.hostWorst[:]); err != nil {
		return err
	}
	for range sweeps {
		if err := s.queueWithFloor(ctx); err != nil {
			return err
		}
	}
	s.stages.sweeps += sweeps
	var after [1]kernels.Control[F]
	err := backend.Download(s.dev, after[:], s.control)
	s.hostControl[0].Floor = after[0].Floor
	return err
}

// queueWithFloor queues a sweep of repeatWithFloor.
func (s *engine[F, V]) queueWithFloor(ctx context.Context) error {
	return s.sweeps.Queue(s.dev, func() error {
		s.dev.Run(s.ratePass.loop, s.ratePass.lo, s.ratePass.hi)
		if s.deviceGhosts != nil {
			// The largest key is that of the smallest quality.
			key := unsafe.Slice((*uint64)(unsafe.Pointer(&s.worstQuality[0])), 1)
			if err := errors.Join(s.deviceGhosts.Max(key), s.deviceGhosts.Finish(ctx)); err != nil {
				return err
			}
		}
		s.dev.Run(s.raiseFloor, 0, 1)
		return s.queue(ctx, 1)
	})
}
