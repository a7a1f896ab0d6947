//go:build mpi && cgo

package mpi

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/life"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// comm is this process's rank of one run.
type comm struct {
	engine     engine
	rank, size int
	tagLimit   int
	job        bool            // Close finalises MPI
	heart      *life.Heartbeat // nil when ranks do not watch each other
	table      table
	rounds     roundState

	failed atomic.Pointer[failedRun]
	closed atomic.Bool
	calls  sync.RWMutex // each call holds it for reading, so that Close frees nothing under a call

	// How many messages went to, and came from, each rank.
	sent, received []atomic.Uint64

	mu      sync.Mutex
	peers   []peer
	leavers int   // number of peers that have left
	orphans []*op // that nobody waits for, though MPI still uses their memory
}

// peer is what a notice has said about a rank.
type peer struct {
	left bool
	when time.Time
	sent uint64 // messages to this rank
}

// failedRun is why the run has failed.
type failedRun struct{ cause error }

func (c *comm) Rank() int { return c.rank }
func (c *comm) Size() int { return c.size }

// cause returns why the run has failed, or nil.
func (c *comm) cause() error {
	if f := c.failed.Load(); f != nil {
		return f.cause
	}
	return nil
}

func (c *comm) check(ctx context.Context, peer, tag, length int) error {
	if c.closed.Load() {
		return &dist.PeerError{Rank: c.rank, Err: ErrClosed}
	}
	if err := c.cause(); err != nil {
		return err
	}
	if tag > c.tagLimit {
		return fmt.Errorf("dist/mpi: tag %d: this MPI takes tags up to %d", tag, c.tagLimit)
	}
	if length > mostBytes {
		return fmt.Errorf("dist/mpi: a message of %d bytes: MPI takes up to %d, send it in pieces", length, mostBytes)
	}
	return pending.Check(ctx, c.size, peer, tag)
}

func (c *comm) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	c.calls.RLock()
	defer c.calls.RUnlock()
	if err := c.check(ctx, to, tag, len(buf)); err != nil {
		return 0, err
	}
	n := c.sent[to].Add(1)
	t := &c.table
	t.mu.Lock()
	defer t.mu.Unlock()
	o, queue := t.takeLocked(), t.queue
	t.queue, t.last = nil, nil
	o.Message = pending.Message{Send: true, Peer: to, Tag: tag, Buf: buf}
	var err error
	if len(buf) <= shortBytes {
		err = sendShort(queue, o.slot, to, tag, buf)
	} else {
		err = sendLong(queue, o.slot, to, tag, o.pin(), len(buf), c.bodyTag(n))
	}
	if err != nil {
		// MPI may have taken the head of a message though not its body, so the op is not used again.
		return 0, &dist.PeerError{Rank: to, Err: fmt.Errorf("%v: %w", o, err)}
	}
	return o.req, nil
}

// bodyTag tells the bytes of a long message, the n-th that goes to a rank, from those of others that may not have been
// received yet. As many tags as this MPI has are used, for a message may wait while very many go by.
func (c *comm) bodyTag(n uint64) int { return int(n % uint64(c.tagLimit)) }

func (c *comm) Irecv(ctx context.Context, from, tag int, buf []byte) (dist.Request, error) {
	return c.receive(ctx, pending.Message{Peer: from, Tag: tag, Buf: buf})
}

func (c *comm) IrecvUpTo(ctx context.Context, from, tag int, buf []byte, length *int) (dist.Request, error) {
	if length == nil {
		return 0, pending.ErrLength
	}
	return c.receive(ctx, pending.Message{Peer: from, Tag: tag, Buf: buf, Length: length})
}

func (c *comm) receive(ctx context.Context, m pending.Message) (dist.Request, error) {
	c.calls.RLock()
	defer c.calls.RUnlock()
	if err := c.check(ctx, m.Peer, m.Tag, len(m.Buf)); err != nil {
		return 0, err
	}
	t := &c.table
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.takeLocked()
	o.Message = m
	var target unsafe.Pointer
	if len(m.Buf) > shortBytes {
		target = o.pin()
	}
	prepare(o.slot, m.Peer, m.Tag, target, len(m.Buf), m.Length != nil)
	t.enqueue(o.slot)
	return o.req, nil
}

func (c *comm) Wait(ctx context.Context, reqs []dist.Request) error {
	c.calls.RLock()
	defer c.calls.RUnlock()
	if c.closed.Load() {
		return &dist.PeerError{Rank: c.rank, Err: ErrClosed}
	}
	head, err := c.table.claim(reqs)
	if err == nil && head != nil {
		err = c.await(ctx, head)
	}
	c.endChain(head)
	return err
}

// Abort ends the run on all ranks. The cause goes to stderr at once, since the launcher may end this process as soon as
// another one has ended for it.
func (c *comm) Abort(code int, cause error) {
	c.calls.RLock()
	defer c.calls.RUnlock()
	if c.closed.Load() {
		return
	}
	err := &dist.AbortError{Rank: c.rank, Code: code, Cause: fmt.Sprint(cause)}
	if c.cause() == nil {
		fmt.Fprintf(os.Stderr, "atoll: rank %d of %d aborts the run: %s\n", c.rank, c.size, err.Cause)
	}
	c.fail(err)
}
