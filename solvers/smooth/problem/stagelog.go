package problem

import (
	"context"
	"fmt"
	"io"
	"time"
)

// stageLog logs the stages of a set-up as they end.
type stageLog struct {
	out   io.Writer // may be nil
	begun time.Time
}

func newStageLog(out io.Writer) *stageLog { return &stageLog{out: out, begun: time.Now()} }

// leastReported is the shortest duration of a logged stage.
const leastReported = 100 * time.Millisecond

// end logs the end of a stage, and returns an error if the run was cancelled.
func (s *stageLog) end(ctx context.Context, what string) error {
	now := time.Now()
	if took := now.Sub(s.begun); s.out != nil && took >= leastReported {
		fmt.Fprintf(s.out, "%-16s %s in %.2f s\n", "set-up", what, took.Seconds())
	}
	s.begun = now
	return ctx.Err()
}
