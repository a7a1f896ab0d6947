package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// A rank that is alone needs nobody for the length of a sweep, and the device counts sweeps by itself where a kernel
// asks for their number: several are recorded once and queued in one call.

// recorded is how many sweeps a recording holds: an even number, so that tiles end where they began.
const recorded = 8

// most bounds how many sweeps are queued at a time, so that a run can be stopped.
const most = 1024

// repeats tells whether sweeps need nothing of the host. The hybrid smoother does: the mean quality.
func (s *engine[F, V]) repeats() bool {
	_, records := s.dev.(backend.Recorder)
	return records && s.comm.Size() == 1 && s.cfg.Smoother != "hybrid"
}

// repeat takes up to so many sweeps from a recording, and returns how many: a multiple of what it holds.
func (s *engine[F, V]) repeat(ctx context.Context, sweeps int) (int, error) {
	if sweeps < recorded || !s.repeats() {
		return 0, nil
	}
	if s.replay == nil {
		r, err := s.dev.(backend.Recorder).Record(func() error { return s.queue(recorded) })
		if err != nil {
			return 0, err
		}
		s.replay = r
	}
	if err := backend.Upload(s.dev, s.control, s.now[:]); err != nil {
		return 0, err
	}
	s.move(s.enter)
	defer s.move(s.leave)
	done := 0
	for ; done+recorded <= sweeps; done += recorded {
		if done%most == 0 {
			if err := s.wait(ctx); err != nil {
				return done, err
			}
		}
		s.replay.Launch()
		s.now[0].Sweep += recorded
	}
	return done, nil
}

// queueSets queues so many sweeps, set by set.
func (s *engine[F, V]) queueSets(sweeps int) {
	for range sweeps {
		for set := range s.first {
			s.move(s.first[set])
			s.move(s.rest[set])
		}
		if s.params.Cull {
			s.dev.Run(s.count, 0, 1)
		}
	}
}

// queue queues sweeps by tiles, or else by sets.
func (s *solver[F]) queue(sweeps int) error {
	n := s.tiles.n
	if n == 0 {
		s.queueSets(sweeps)
		return nil
	}
	s.dev.Run(s.tiles.aim, 0, n)
	for k := range sweeps {
		s.dev.Run(s.tiles.passes[k%2], 0, n)
	}
	return nil
}

// wait returns when the device has done what was queued, or at once if the run is to end.
func (s *engine[F, V]) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m, apart := s.dev.(backend.Memory); apart {
		return m.Sync()
	}
	return nil
}

func (s *engine[F, V]) move(passes []pass) {
	for _, p := range passes {
		s.dev.Run(p.loop, p.lo, p.hi)
	}
}
