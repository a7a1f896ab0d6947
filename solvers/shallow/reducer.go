package shallow

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
)

// reducer computes the length of the next step from the limits of all ranks. With lagged steps a goroutine reduces
// them during the next step; until it has finished no other collective call may be made: see latest.
type reducer struct {
	comm     dist.Comm
	lag      bool
	last     float64 // the latest minimum of all ranks; +Inf before the first
	pending  bool
	requests chan request
	results  chan error
	reduced  [1]float64
}

type request struct {
	ctx   context.Context
	limit float64
}

func newReducer(comm dist.Comm, lag bool) *reducer {
	r := &reducer{comm: comm, lag: lag, last: math.Inf(1)}
	if lag {
		r.requests, r.results = make(chan request), make(chan error, 1)
		go func() {
			for q := range r.requests {
				r.reduced[0] = q.limit
				r.results <- r.comm.AllreduceFloat64(q.ctx, dist.Min, r.reduced[:])
			}
		}()
	}
	return r
}

// limit returns the longest stable length of the next step: the minimum over all ranks of the limit from the waves of
// the last step, which is own on this rank. With lagged steps it returns the minimum of the step before the last.
func (r *reducer) limit(ctx context.Context, own float64) (float64, error) {
	if !r.lag {
		r.reduced[0] = own
		err := r.comm.AllreduceFloat64(ctx, dist.Min, r.reduced[:])
		r.last = r.reduced[0]
		return r.last, err
	}
	first := math.IsInf(r.last, 1) && !r.pending
	previous, err := r.latest(ctx)
	if err != nil {
		return 0, err
	}
	r.pending = true
	r.requests <- request{ctx, own}
	if first {
		return r.latest(ctx)
	}
	return previous, nil
}

// latest waits for the pending reduction and returns the latest minimum.
func (r *reducer) latest(ctx context.Context) (float64, error) {
	if !r.pending {
		return r.last, nil
	}
	r.pending = false
	err := <-r.results
	r.last = r.reduced[0]
	return r.last, err
}

func (r *reducer) close() {
	if r.lag && r.requests != nil {
		close(r.requests)
		r.requests = nil
	}
}
