package problem

import (
	"context"
	"fmt"
	"io"
	"time"
)

// stages reports the stages of a set-up as they end.
type stages struct {
	out   io.Writer // nil for nobody
	begun time.Time
}

func newStages(out io.Writer) *stages { return &stages{out: out, begun: time.Now()} }

// leastReported is how long a stage takes at least to be reported.
const leastReported = 100 * time.Millisecond

// end tells that a stage has ended, and returns an error if the run is to end too.
func (s *stages) end(ctx context.Context, what string) error {
	now := time.Now()
	if took := now.Sub(s.begun); s.out != nil && took >= leastReported {
		fmt.Fprintf(s.out, "%-16s %s in %.2f s\n", "set-up", what, took.Seconds())
	}
	s.begun = now
	return ctx.Err()
}
