package shallow

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
)

// reducer finds the length of the next step from what the ranks' waves allow. Where steps lag, the ranks agree on it
// while they take a step, by a goroutine of their own; no other collective call may be made meanwhile: see latest.
type reducer struct {
	comm    dist.Comm
	lag     bool
	last    float64 // the latest minimum of all ranks; +Inf before the first
	flying  bool
	ask     chan question
	answer  chan error
	reduced [1]float64
}

type question struct {
	ctx  context.Context
	mine float64
}

func newReducer(comm dist.Comm, lag bool) *reducer {
	r := &reducer{comm: comm, lag: lag, last: math.Inf(1)}
	if lag {
		r.ask, r.answer = make(chan question), make(chan error, 1)
		go func() {
			for q := range r.ask {
				r.reduced[0] = q.mine
				r.answer <- r.comm.AllreduceFloat64(q.ctx, dist.Min, r.reduced[:])
			}
		}()
	}
	return r
}

// limit returns how long the next step may be, where mine is what the waves of the last step on this rank allow.
func (r *reducer) limit(ctx context.Context, mine float64) (float64, error) {
	if !r.lag {
		r.reduced[0] = mine
		err := r.comm.AllreduceFloat64(ctx, dist.Min, r.reduced[:])
		r.last = r.reduced[0]
		return r.last, err
	}
	first := math.IsInf(r.last, 1) && !r.flying
	before, err := r.latest(ctx)
	if err != nil {
		return 0, err
	}
	r.flying = true
	r.ask <- question{ctx, mine}
	if first {
		return r.latest(ctx)
	}
	return before, nil
}

// latest waits for the minimum that is under way and returns the latest one.
func (r *reducer) latest(ctx context.Context) (float64, error) {
	if !r.flying {
		return r.last, nil
	}
	r.flying = false
	err := <-r.answer
	r.last = r.reduced[0]
	return r.last, err
}

func (r *reducer) close() {
	if r.lag && r.ask != nil {
		close(r.ask)
		r.ask = nil
	}
}
