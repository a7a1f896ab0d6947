package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// stepRange is count steps of a cycle, from the first on.
type stepRange struct{ first, count int }

// maxRecordings bounds the ranges that are recorded. Rows of a table come after equal numbers of steps, whose ranges
// recur; frames cut a few short.
const maxRecordings = 64

// canRecord tells whether a range can be recorded, and is worth it.
func (s *solver[F]) canRecord(of stepRange) bool {
	if !s.alone && s.fork == nil && s.period != byCycle {
		return false
	}
	_, known := s.recordings[of]
	return known || len(s.recordings) < maxRecordings
}

// runRecorded queues a range with one call. The first time it is queued step by step: what a device loads and allocates
// then cannot be part of a recording.
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

// forgetRecordings frees the recordings. Their ranges can be recorded again.
func (s *solver[F]) forgetRecordings() {
	for of, replay := range s.recordings {
		if replay != nil {
			replay.Close()
			s.recordings[of] = nil
		}
	}
}
