package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
)

// stepRange is `count` steps of a cycle, beginning with step first.
type stepRange struct{ first, count int }

// maxRecordings bounds the number of recorded ranges. Rows of tables are equal numbers of steps apart, so that the same
// ranges recur; frames at given times add a few shorter ones.
const maxRecordings = 64

// canRecord reports whether a range can be recorded and occurs often enough.
func (s *solver[F]) canRecord(steps stepRange) bool {
	if !s.alone && s.fork == nil && s.period != byCycle {
		return false
	}
	_, known := s.recordings[steps]
	return known || len(s.recordings) < maxRecordings
}

// runRecorded queues a range with one call. When a range occurs for the first time, it queues the steps one by one, and
// only the second time records them: on first use a device loads code and allocates, which a recording cannot contain.
func (s *solver[F]) runRecorded(ctx context.Context, recorder backend.Recorder, steps stepRange) error {
	replay, known := s.recordings[steps]
	if !known {
		s.recordings[steps] = nil
		return s.queue(ctx, steps)
	}
	if replay == nil {
		var err error
		if replay, err = recorder.Record(func() error { return s.queue(ctx, steps) }); err != nil {
			return err
		}
		s.recordings[steps] = replay
	}
	replay.Launch()
	s.lap(inSweeps)
	return nil
}

// forgetRecordings frees the recordings. Their ranges may be recorded again.
func (s *solver[F]) forgetRecordings() {
	for steps, replay := range s.recordings {
		if replay != nil {
			replay.Close()
			s.recordings[steps] = nil
		}
	}
}
