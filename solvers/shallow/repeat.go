package shallow

import (
	"context"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
)

// A rank that is alone needs nobody for the length of a step, and ranks whose devices are linked find it together: the
// clock stays on the devices, where each step reads it by itself, and several steps are recorded once and queued in one
// call.

// recorded is how many steps a recording holds: it ends where it began.
const recorded = 4 * turns

// most bounds how many steps are queued at a time, so that a run can be stopped.
const most = 1024

func (s *solver[F]) repeats() bool {
	_, records := s.dev.(backend.Recorder)
	return records && s.tiled && (s.comm.Size() == 1 || s.linked != nil)
}

// repeat takes up to so many steps. Those that are queued after the clock has stopped do nothing.
func (s *solver[F]) repeat(ctx context.Context, steps int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.clockAt = time.Now()
	if err := s.rest(ctx); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	clock := &s.time[0]
	n := min(steps, s.samples.most())
	next := clock.Until
	if clock.Pause > 0 {
		next = min(next, clock.Pause)
	}
	if left := math.Ceil((next - clock.Time) / float64(clock.Limit)); left < float64(n) {
		n = max(1, int(left))
	}
	end := (s.now + n) % turns
	if n >= recorded {
		r, err := s.recording(ctx, s.now)
		if err != nil {
			return err
		}
		for ; n >= recorded; n -= recorded {
			r.Launch()
		}
	}
	for k := range n {
		if err := s.queue(ctx, (s.now+k)%turns); err != nil {
			return err
		}
	}
	if s.linked != nil {
		if err := s.linked.Finish(ctx); err != nil {
			return err
		}
	}
	before := clock.Steps
	if err := backend.Download(s.dev, s.time[:], s.clock[end:end+1]); err != nil {
		return err
	}
	if clock.Pending {
		if err := backend.Download(s.dev, s.least[:], s.arrays.least); err != nil {
			return err
		}
		clock.Tick(s.least[s.wavesOf(end)].Value())
		s.book()
		s.reducer.last = float64(s.least[end].Value())
	}
	s.lap(inUpdate)
	s.now = (s.now + int(clock.Steps-before)) % turns
	s.unview()
	if err := s.fetchSamples(before); err != nil {
		return err
	}
	return s.check(ctx)
}

// queue queues step k of the turns.
func (s *solver[F]) queue(ctx context.Context, k int) error {
	s.keepPeaks(k)
	queue := s.queueTiles
	if s.slopes != nil {
		queue = s.queueStages
	}
	if err := queue(ctx, k); err != nil {
		return err
	}
	if s.linked != nil {
		if err := s.linked.Max(s.keys((k + 1) % turns)); err != nil {
			return err
		}
		if !s.params.Lag { // a lagging minimum is there with the next step's ghosts
			if err := s.linked.Finish(ctx); err != nil {
				return err
			}
		}
	}
	s.sample(k)
	return nil
}

// queueTiles queues all tiles, and the exchange of what they make.
func (s *solver[F]) queueTiles(ctx context.Context, k int) error {
	tile := s.loops[k].tile
	s.present(s.loops[k], 0)
	s.move(s.loops[k])
	if s.linked == nil {
		s.dev.Run(tile, 0, s.ntiles)
		return nil
	}
	err := s.linked.Fork(func() error {
		s.dev.Run(tile, s.core, s.ntiles)
		return s.linked.Start(ctx, s.state[1-k%2])
	})
	if err != nil {
		return err
	}
	s.dev.Run(tile, 0, s.core)
	return s.linked.Finish(ctx)
}

// recording returns that of several steps from turn k on.
func (s *solver[F]) recording(ctx context.Context, k int) (backend.Recording, error) {
	if s.replay[k] != nil {
		return s.replay[k], nil
	}
	r, err := s.dev.(backend.Recorder).Record(func() error {
		for n := range recorded {
			if err := s.queue(ctx, (k+n)%turns); err != nil {
				return err
			}
		}
		if s.linked != nil {
			return s.linked.Finish(ctx)
		}
		return nil
	})
	if err == nil {
		s.replay[k] = r
	}
	return r, err
}
