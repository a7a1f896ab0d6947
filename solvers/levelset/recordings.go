package levelset

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
)

// recording is a part of a step that is queued with one call.
type recording struct {
	backend.Replay
	queue func(context.Context) error
}

// canRecord reports whether parts of a step without particles can be recorded: nothing in them waits for the host.
func (s *solver[F]) canRecord() bool {
	_, records := s.dev.(backend.Recorder)
	_, linked := s.allLayers.ghosts.(halo.DeviceGhostExchanger[F])
	return records && (linked || s.comm.Size() == 1)
}

// recorded queues a part of a step, with one call if it can be recorded.
func (s *solver[F]) recorded(ctx context.Context, r *recording) error {
	if !s.canRecord() {
		return r.queue(ctx)
	}
	return r.Queue(s.dev, func() error { return r.queue(ctx) })
}
