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
	_, records := s.dev.(backend.Recorder)
	if !records || !s.alone && s.fork == nil && s.period != byCycle {
		return false
	}
	_, known := s.recordings[steps]
	return known || len(s.recordings) < maxRecordings
}

// runRecorded queues a range with one call, if it has occurred before.
func (s *solver[F]) runRecorded(ctx context.Context, steps stepRange) error {
	replay := s.recordings[steps]
	if replay == nil {
		replay = new(backend.Replay)
		s.recordings[steps] = replay
	}
	err := replay.Queue(s.dev, func() error { return s.queue(ctx, steps) })
	s.lap(inSweeps)
	return err
}

// forgetRecordings frees the recordings. Their ranges may be recorded again.
func (s *solver[F]) forgetRecordings() {
	for _, replay := range s.recordings {
		replay.Close()
	}
}
