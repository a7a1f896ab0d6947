package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// The host has no part in the sweeps of a rank that is alone, or of one whose device exchanges ghosts by itself, and
// the device counts sweeps where a kernel asks for their number: several are recorded once and queued in one call.

// recorded is how many sweeps a recording holds: an even number, so that tiles end where they began.
const recorded = layout.MaxRound

// aimed is after how many sweeps tiles look again for the samples of the metric that they hold: more often at first,
// when vertices go far.
const aimed = 64

// most bounds how many sweeps are queued at a time, so that a run can be stopped.
const most = 1024

// records tells whether sweeps need nothing of the host. Two smoothers do: the mean or the worst quality.
func (s *engine[F, V]) records() bool {
	_, records := s.dev.(backend.Recorder)
	return records && (s.comm.Size() == 1 || s.linked != nil) && s.cfg.Smoother != "hybrid" && s.stages == nil
}

// repeat takes up to so many sweeps as recordings hold them, and returns how many: a multiple of that. By tiles it also
// does so where nothing is recorded, but not for the last few, because they begin and end with copies.
func (s *engine[F, V]) repeat(ctx context.Context, sweeps int) (int, error) {
	if sweeps < recorded || !s.records() && !s.tiled {
		return 0, nil
	}
	if err := backend.Upload(s.dev, s.control, s.now[:]); err != nil {
		return 0, err
	}
	if s.tiled {
		s.move(s.enter)
		defer s.move(s.leave)
	}
	done := 0
	for ; done+recorded <= sweeps; done += recorded {
		if done%most == 0 {
			if err := s.wait(ctx); err != nil {
				return done, err
			}
		}
		if s.tiled && (done < aimed || done%aimed == 0) {
			s.move(s.aim)
		}
		if err := s.batch(ctx); err != nil {
			return done, err
		}
		s.now[0].Sweep += recorded
	}
	if s.tiled {
		return done, s.refresh(ctx)
	}
	return done, nil
}

// batch queues as many sweeps as a recording holds. What linked devices load and take the first time is no part of one.
func (s *engine[F, V]) batch(ctx context.Context) error {
	if !s.records() || s.linked != nil && !s.ran {
		s.ran = true
		return s.queue(ctx, recorded)
	}
	if s.replay == nil {
		r, err := s.dev.(backend.Recorder).Record(func() error { return s.queue(ctx, recorded) })
		if err != nil {
			return err
		}
		s.replay = r
	}
	s.replay.Launch()
	return nil
}

// queueSets queues so many sweeps, set by set.
func (s *engine[F, V]) queueSets(ctx context.Context, sweeps int) error {
	for range sweeps {
		for set := range s.first {
			s.move(s.first[set])
			s.move(s.rest[set])
		}
		if s.params.Cull {
			s.dev.Run(s.count, 0, 1)
		}
		if s.linked == nil {
			continue
		}
		if err := s.exchangeAll(ctx); err != nil {
			return err
		}
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
