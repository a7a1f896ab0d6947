package shallow

import (
	"context"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
)

// A rank that is alone on its device needs nobody for the length of a step: clock, fluxes and cells stay on the
// device, and the kernels of several steps are recorded once and queued in one call.

// recorded is how many steps a recording holds: an even number, so that it ends where it began.
const recorded = 16

// most bounds how many steps are queued at a time, so that a run can be stopped.
const most = 1024

func (s *solver[F]) repeats() bool {
	_, records := s.dev.(backend.Recorder)
	return records && s.tiled && s.comm.Size() == 1
}

// repeat takes up to so many steps. Those after the clock has stopped do nothing.
func (s *solver[F]) repeat(ctx context.Context, steps int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.clockAt = time.Now()
	if err := s.begin(); err != nil {
		return err
	}
	clock := &s.time[0]
	before := clock.Steps
	n := min(steps, most)
	if left := math.Ceil((clock.Until - clock.Time) / float64(clock.Limit)); left < float64(n) {
		n = max(1, int(left))
	}
	at := s.now
	if n >= recorded {
		r, err := s.recording(at)
		if err != nil {
			return err
		}
		for ; n >= recorded; n -= recorded {
			r.Launch()
		}
	}
	for range n {
		s.queue(at)
		at = 1 - at
	}
	s.lap(inFlux)
	if err := backend.Download(s.dev, s.time[:], s.clock); err != nil {
		return err
	}
	s.lap(inUpdate)
	s.now ^= int(clock.Steps-before) & 1
	s.viewed = -1
	return s.check(ctx)
}

// queue queues a step from state k.
func (s *solver[F]) queue(k int) {
	s.dev.Run(s.loops[k].tile, 0, s.ntiles)
	s.dev.Run(s.loops[k].tick, 0, 1)
}

// recording returns that of several steps from state k.
func (s *solver[F]) recording(k int) (backend.Recording, error) {
	if s.replay[k] != nil {
		return s.replay[k], nil
	}
	r, err := s.dev.(backend.Recorder).Record(func() error {
		for n := range recorded {
			s.queue((k + n) % 2)
		}
		return nil
	})
	if err == nil {
		s.replay[k] = r
	}
	return r, err
}
