package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// stretch is so many steps of a cycle, from one on.
type stretch struct{ first, count int }

// manyReplays bounds the stretches that are recorded. Rows of a table come after equal numbers of steps, whose
// stretches come round; frames break a few off.
const manyReplays = 64

// repeats tells whether a stretch is worth a recording, and can be one.
func (s *solver[F]) repeats(of stretch) bool {
	if !s.alone && s.fork == nil && s.period != byCycle {
		return false
	}
	_, known := s.replays[of]
	return known || len(s.replays) < manyReplays
}

// repeat queues a stretch in one call, but the first time: what a device loads and takes then is no part of a
// recording.
func (s *solver[F]) repeat(ctx context.Context, recorder backend.Recorder, of stretch) error {
	replay, taken := s.replays[of]
	if !taken {
		s.replays[of] = nil
		return s.queue(ctx, of)
	}
	if replay == nil {
		var err error
		if replay, err = recorder.Record(func() error { return s.queue(ctx, of) }); err != nil {
			return err
		}
		s.replays[of] = replay
	}
	replay.Launch()
	s.lap(inSweeps)
	return nil
}

// forgetReplays gives recordings back. What they are of can be recorded anew.
func (s *solver[F]) forgetReplays() {
	for of, replay := range s.replays {
		if replay != nil {
			replay.Close()
			s.replays[of] = nil
		}
	}
}
