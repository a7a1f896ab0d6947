package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
)

// recording is a part of a step that is queued with one call.
type recording struct {
	queue  func(context.Context) error
	replay backend.Recording // nil before the second call
	called bool
}

// canRecord reports whether parts of a step without particles can be recorded: nothing in them waits for the host.
func (s *solver[F]) canRecord() bool {
	_, records := s.dev.(backend.Recorder)
	_, linked := s.allLayers.ghosts.(halo.DeviceGhostExchanger[F])
	return records && (linked || s.comm.Size() == 1)
}

// recorded queues a part of a step, with one call if it can be recorded. The first time it queues its kernels one by
// one: on first use a device loads code and allocates, which a recording cannot contain.
func (s *solver[F]) recorded(ctx context.Context, r *recording) error {
	if !r.called || !s.canRecord() {
		r.called = true
		return r.queue(ctx)
	}
	if r.replay == nil {
		var err error
		if r.replay, err = s.dev.(backend.Recorder).Record(func() error { return r.queue(ctx) }); err != nil {
			return err
		}
		s.closers = append(s.closers, func() error { r.replay.Close(); return nil })
	}
	r.replay.Launch()
	return nil
}
