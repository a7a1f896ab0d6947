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

// comm is the dist.Comm of this process.
type comm struct {
	engine     engine
	rank, size int
	tagLimit   int
	fromInit   bool            // made by Init: Close finalises MPI
	heartbeat  *life.Heartbeat // nil unless Watch was called
	table      table
	collective collectiveState

	failed atomic.Pointer[failedRun]
	closed atomic.Bool
	calls  sync.RWMutex // each call holds it for reading, so that Close does not free memory in use

	// Number of messages sent to, and received from, each rank.
	sent, received []atomic.Uint64

	mu      sync.Mutex
	peers   []peer
	leaving leaving
	orphans []*op // operations that no call waits for any more, and whose memory MPI still uses
}

// peer is the state of another rank: whether it has left, and what its leave notice said.
type peer struct {
	left  bool
	asked bool          // it was asked whether it has left, and has not answered
	at    time.Duration // since start: when it has said that it has left, or was last asked
	sent  uint64        // number of messages that it has sent to this rank
}

// start is the beginning of time for peers.
var start = time.Now()

// failedRun holds the cause of the run's failure.
type failedRun struct{ cause error }

func (c *comm) Rank() int { return c.rank }
func (c *comm) Size() int { return c.size }

// cause returns the cause of the run's failure, or nil.
func (c *comm) cause() error {
	if f := c.failed.Load(); f != nil {
		return f.cause
	}
	return nil
}

func (c *comm) check(ctx context.Context, peer, tag, length int) error {
	if c.closed.Load() {
		return &dist.PeerError{Rank: c.rank, Err: dist.ErrClosed}
	}
	if err := c.cause(); err != nil {
		return err
	}
	if tag > c.tagLimit {
		return fmt.Errorf("dist/mpi: tag %d: this MPI supports tags up to %d", tag, c.tagLimit)
	}
	if length > maxMessageBytes {
		return fmt.Errorf("dist/mpi: a message of %d bytes: MPI supports up to %d, send several messages", length,
			maxMessageBytes)
	}
	return pending.Check(ctx, c.size, peer, tag)
}

func (c *comm) Isend(ctx context.Context, dest, tag int, buf []byte) (dist.Request, error) {
	c.calls.RLock()
	defer c.calls.RUnlock()
	if err := c.check(ctx, dest, tag, len(buf)); err != nil {
		return 0, err
	}
	n := c.sent[dest].Add(1)
	t := &c.table
	t.mu.Lock()
	defer t.mu.Unlock()
	o, queue := t.acquireLocked(), t.queue
	t.queue, t.last = nil, nil
	o.Message = pending.Message{Send: true, Peer: dest, Tag: tag, Buf: buf}
	var err error
	if len(buf) <= shortBytes {
		err = sendShort(queue, o.slot, dest, tag, buf)
	} else {
		err = sendLong(queue, o.slot, dest, tag, o.pin(), len(buf), c.bodyTag(n))
	}
	if err != nil {
		// MPI may have sent the header of the message but not its body, so the op is not reused.
		return 0, &dist.PeerError{Rank: dest, Err: fmt.Errorf("%v: %w", o, err)}
	}
	return o.req, nil
}

// bodyTag returns the MPI tag for the body of a long message, the n-th message to a rank. It differs from the tags of
// the last tagLimit bodies, so that a body matches its receive even if many later messages are received before.
func (c *comm) bodyTag(n uint64) int { return int(n % uint64(c.tagLimit)) }

func (c *comm) Irecv(ctx context.Context, source, tag int, buf []byte) (dist.Request, error) {
	return c.receive(ctx, pending.Message{Peer: source, Tag: tag, Buf: buf})
}

func (c *comm) IrecvUpTo(ctx context.Context, source, tag int, buf []byte, length *int) (dist.Request, error) {
	if length == nil {
		return 0, pending.ErrLength
	}
	return c.receive(ctx, pending.Message{Peer: source, Tag: tag, Buf: buf, Length: length})
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
	o := t.acquireLocked()
	o.Message = m
	var pinned unsafe.Pointer
	if len(m.Buf) > shortBytes {
		pinned = o.pin()
	}
	prepare(o.slot, m.Peer, m.Tag, pinned, len(m.Buf), m.Length != nil)
	t.enqueue(o.slot)
	return o.req, nil
}

func (c *comm) Wait(ctx context.Context, reqs []dist.Request) error {
	c.calls.RLock()
	defer c.calls.RUnlock()
	if c.closed.Load() {
		return &dist.PeerError{Rank: c.rank, Err: dist.ErrClosed}
	}
	head, err := c.table.claim(reqs)
	if err == nil && head != nil {
		err = c.await(ctx, head)
	}
	c.releaseList(head)
	return err
}

// Abort ends the run on all ranks. It prints the cause to stderr at once, since the launcher may end this process
// as soon as another one has exited.
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
