//go:build mpi && cgo

package mpi

import (
	"context"
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

const (
	// leftGrace is how long after the leave notice of a rank messages from and to it are still awaited.
	leftGrace = time.Second
	// cancelLimit is how long MPI may take to complete or cancel a message.
	cancelLimit = 2 * time.Second
)

// await waits until all ops of a list are complete, or returns the error of the first that failed.
func (c *comm) await(ctx context.Context, head *op) error {
	return c.awaitFrom(ctx, head, waitFor(head.slot, 0))
}

// awaitFrom is await after waitFor has returned first, the first slot that is pending or has failed; nil if none.
func (c *comm) awaitFrom(ctx context.Context, head *op, first *slot) error {
	var began time.Time
	for ; first != nil; first = waitFor(first, int64(time.Since(began))) {
		for head.slot != first {
			head = head.next
		}
		if first.pending == 0 {
			return head.failure()
		}
		if err := c.interrupted(ctx, head); err != nil {
			return err
		}
		if began.IsZero() {
			began = time.Now()
		} else if time.Since(began) > askAfter {
			c.askIfLeft(head.Peer)
		}
	}
	return nil
}

// interrupted returns the reason to stop waiting for the pending op o, or nil.
func (c *comm) interrupted(ctx context.Context, o *op) error {
	c.table.flush() // the peer may be waiting for a receive that another goroutine has queued
	c.readNotices()
	if err := c.cause(); err != nil {
		return err
	}
	if c.closed.Load() {
		return &dist.PeerError{Rank: c.rank, Err: fmt.Errorf("%v: %w", o, dist.ErrClosed)}
	}
	if ctx.Err() != nil {
		return &dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: %w", o, context.Cause(ctx))}
	}
	c.mu.Lock()
	p := c.peers[o.Peer]
	c.mu.Unlock()
	if !p.left || time.Since(start)-p.at < leftGrace && (o.Send || o.collective() || c.received[o.Peer].Load() < p.sent) {
		return nil
	}
	if isDone(o.slot) {
		return nil // it completed before the notice arrived
	}
	return &dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: %w", o, dist.ErrClosed)}
}

// releaseList releases a list of ops: it cancels pending ones, and copies short received messages from their slots to
// the callers' buffers.
func (c *comm) releaseList(head *op) {
	var ended *op
	for o := head; o != nil; {
		next := o.next
		if o.slot.pending == 0 || c.cancel(o) {
			c.deliver(o)
			o.next, ended = ended, o
		}
		o = next
	}
	c.table.releaseAll(ended)
}

// deliver completes a receive: it sets the length, and copies a short message from the slot to the caller's buffer.
func (c *comm) deliver(o *op) {
	if o.Send || cancelled(o.slot) || o.collective() {
		return
	}
	c.received[o.Peer].Add(1)
	if o.slot.rejected_body > 0 { // the tag of a body that does not fit, plus one; 0 for none
		c.discard(o)
	} else if n := int(o.slot.got); o.slot.error == 0 {
		buf, err := o.Accept(n)
		if err == nil && n <= shortBytes {
			copy(buf, bufferOf(o.slot)[headerBytes:])
		}
	}
}

// cancel cancels o. It returns false if MPI still uses the memory of o, which is then an orphan.
func (c *comm) cancel(o *op) bool {
	if o.Send {
		// MPI sends a short message from the slot, and not from memory of the caller, which may go on. After a failure
		// the peer may never receive the message.
		if !o.pinned || c.cause() != nil {
			c.addOrphan(o)
			return false
		}
	} else if err := cancel(o.slot); err != nil {
		c.fail(&dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: %w", o, err)})
	}
	for began := time.Now(); !isDone(o.slot); time.Sleep(50 * time.Microsecond) {
		c.mu.Lock()
		left := c.peers[o.Peer].left
		c.mu.Unlock()
		if left && o.Send || time.Since(began) > cancelLimit {
			c.addOrphan(o)
			c.fail(&dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: cannot be cancelled", o)})
			return false
		}
	}
	return true
}

// discard receives and drops the body of a message that was too long or too short for o, so that the peer's send
// completes.
func (c *comm) discard(o *op) {
	d := c.table.acquire()
	d.Message = pending.Message{Peer: o.Peer, Tag: o.Tag}
	if err := discardBody(d.slot, o.Peer, int(o.slot.rejected_body)-1, int64(o.slot.got)); err != nil {
		c.table.release(d)
		c.fail(&dist.PeerError{Rank: o.Peer, Err: err})
		return
	}
	c.addOrphan(d)
}

// addOrphan keeps the memory of o until MPI no longer uses it.
func (c *comm) addOrphan(o *op) {
	c.mu.Lock()
	c.orphans = append(c.orphans, o)
	c.mu.Unlock()
}

// recycleOrphans releases the orphans that are complete, and reports whether all are.
func (c *comm) recycleOrphans() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	remaining := c.orphans[:0]
	for _, o := range c.orphans {
		if isDone(o.slot) {
			c.table.release(o)
		} else {
			remaining = append(remaining, o)
		}
	}
	clear(c.orphans[len(remaining):])
	c.orphans = remaining
	return len(remaining) == 0
}
