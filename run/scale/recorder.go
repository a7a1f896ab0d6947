package scale

import (
	"context"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/division"
)

// recorder is the communicator of a rank whose steps are recorded. It passes all calls on.
type recorder struct {
	dist.Comm
	most int // largest number of ranks of the model

	mu     sync.Mutex // point-to-point calls may come from several goroutines
	rule   division.Rule
	plans  map[int]halo.Route   // by tag
	tags   map[dist.Request]int // of requests that are not waited for
	events []event
	on     bool
	last   time.Duration // thread time at the end of the last call
}

// event is a call of a communicator.
type event struct {
	kind   eventKind
	tag    int     // of post
	peer   int     // of a message that is sent, -1 of one that is received
	bytes  int     // of a message or a reduction
	tags   []int   // of wait: of the messages
	before float64 // s that this rank has computed since the end of the event before
}

type eventKind uint8

const (
	post eventKind = iota // a message is sent, or begins to be received
	wait
	collective
	end
)

func newRecorder(of dist.Comm, most int) *recorder {
	return &recorder{Comm: of, most: most, plans: map[int]halo.Route{}, tags: map[dist.Request]int{}}
}

// Divided implements division.Observer.
func (r *recorder) Divided(by division.Rule) { r.rule = by }

// MostRanks implements division.Observer.
func (r *recorder) MostRanks() int { return r.most }

// Connected is called by halo with the plan of the exchanges with a tag.
func (r *recorder) Connected(tag int, plan halo.Route) { r.plans[tag] = plan }

// begin begins to record. The calling goroutine is locked to its thread.
func (r *recorder) begin() { r.on, r.events, r.last = true, nil, threadTime() }

// finish ends the record, and returns it.
func (r *recorder) finish() []event {
	r.add(event{kind: end})
	r.on = false
	return r.events
}

func (r *recorder) add(e event) {
	if !r.on {
		return
	}
	now := threadTime()
	e.before = max(0, (now - r.last).Seconds())
	r.events = append(r.events, e)
}

// done ends the time of a call, which belongs to the machine's messages.
func (r *recorder) done() {
	if r.on {
		r.last = threadTime()
	}
}

func (r *recorder) posted(tag, peer, bytes int, call func() (dist.Request, error)) (dist.Request, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(event{kind: post, tag: tag, peer: peer, bytes: bytes})
	req, err := call()
	r.tags[req] = tag
	r.done()
	return req, err
}

// Isend implements dist.Comm.
func (r *recorder) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	return r.posted(tag, to, len(buf), func() (dist.Request, error) { return r.Comm.Isend(ctx, to, tag, buf) })
}

// Irecv implements dist.Comm.
func (r *recorder) Irecv(ctx context.Context, from, tag int, buf []byte) (dist.Request, error) {
	return r.posted(tag, -1, len(buf), func() (dist.Request, error) { return r.Comm.Irecv(ctx, from, tag, buf) })
}

// IrecvUpTo implements dist.Comm.
func (r *recorder) IrecvUpTo(ctx context.Context, from, tag int, buf []byte, length *int) (dist.Request, error) {
	return r.posted(tag, -1, len(buf), func() (dist.Request, error) {
		return r.Comm.IrecvUpTo(ctx, from, tag, buf, length)
	})
}

// Wait implements dist.Comm.
func (r *recorder) Wait(ctx context.Context, reqs []dist.Request) error {
	if len(reqs) == 0 {
		return r.Comm.Wait(ctx, reqs)
	}
	r.mu.Lock()
	e := event{kind: wait}
	for _, req := range reqs {
		tag := r.tags[req]
		delete(r.tags, req)
		if n := len(e.tags); n == 0 || e.tags[n-1] != tag {
			e.tags = append(e.tags, tag)
		}
	}
	r.add(e)
	r.mu.Unlock()
	err := r.Comm.Wait(ctx, reqs)
	r.done()
	return err
}

func (r *recorder) together(bytes int, call func() error) error {
	r.mu.Lock()
	r.add(event{kind: collective, bytes: bytes})
	r.mu.Unlock()
	err := call()
	r.done()
	return err
}

// AllreduceFloat64 implements dist.Comm.
func (r *recorder) AllreduceFloat64(ctx context.Context, op dist.Op, buf []float64) error {
	return r.together(8*len(buf), func() error { return r.Comm.AllreduceFloat64(ctx, op, buf) })
}

// AllreduceInt64 implements dist.Comm.
func (r *recorder) AllreduceInt64(ctx context.Context, op dist.Op, buf []int64) error {
	return r.together(8*len(buf), func() error { return r.Comm.AllreduceInt64(ctx, op, buf) })
}

// Barrier implements dist.Comm.
func (r *recorder) Barrier(ctx context.Context) error {
	return r.together(0, func() error { return r.Comm.Barrier(ctx) })
}

// Bcast implements dist.Comm.
func (r *recorder) Bcast(ctx context.Context, root int, buf []byte) error {
	return r.together(len(buf), func() error { return r.Comm.Bcast(ctx, root, buf) })
}

// Gatherv implements dist.Comm.
func (r *recorder) Gatherv(ctx context.Context, root int, send []byte) (all [][]byte, err error) {
	err = r.together(len(send), func() (err error) {
		all, err = r.Comm.Gatherv(ctx, root, send)
		return err
	})
	return all, err
}

// Allgatherv implements dist.Comm.
func (r *recorder) Allgatherv(ctx context.Context, send []byte) (all [][]byte, err error) {
	err = r.together(len(send), func() (err error) {
		all, err = r.Comm.Allgatherv(ctx, send)
		return err
	})
	return all, err
}
