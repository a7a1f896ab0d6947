package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// stepRange is `count` steps of a cycle, beginning with step first.
type stepRange struct{ first, count int }

// maxRecordings bounds the number of recorded ranges. Rows of tables follow equal numbers of steps, whose ranges
// recur; frames shorten a few.
const maxRecordings = 64

// canRecord reports whether a range can be recorded and occurs often enough.
func (s *solver[F]) canRecord(of stepRange) bool {
	if !s.alone && s.fork == nil && s.period != byCycle {
		return false
	}
	_, known := s.recordings[of]
	return known || len(s.recordings) < maxRecordings
}

// runRecorded queues a range with one call. The first time it queues the steps one by one, because a recording cannot
// contain what a device loads and allocates on first use.
func (s *solver[F]) runRecorded(ctx context.Context, recorder backend.Recorder, of stepRange) error {
	replay, taken := s.recordings[of]
	if !taken {
		s.recordings[of] = nil
		return s.queue(ctx, of)
	}
	if replay == nil {
		var err error
		if replay, err = recorder.Record(func() error { return s.queue(ctx, of) }); err != nil {
			return err
		}
		s.recordings[of] = replay
	}
	replay.Launch()
	s.lap(inSweeps)
	return nil
}

// forgetRecordings frees the recordings. Their ranges may be recorded again.
func (s *solver[F]) forgetRecordings() {
	for of, replay := range s.recordings {
		if replay != nil {
			replay.Close()
			s.recordings[of] = nil
		}
	}
}
