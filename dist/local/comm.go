package local

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// comm is the dist.Comm of one rank.
type comm struct {
	world  *world
	rank   int
	table  pending.Table
	closed atomic.Bool

	entered int           // collectives entered; written under world.collective
	wake    chan struct{} // signals that the collective entered last is complete
}

func (c *comm) Rank() int { return c.rank }
func (c *comm) Size() int { return c.world.size }

func (c *comm) check(ctx context.Context, peer, tag int) error {
	if c.closed.Load() {
		return &dist.PeerError{Rank: c.rank, Err: dist.ErrClosed}
	}
	if err := c.world.failure(); err != nil {
		return err
	}
	return pending.Check(ctx, c.world.size, peer, tag)
}

func (c *comm) Isend(ctx context.Context, dest, tag int, buf []byte) (dist.Request, error) {
	if err := c.check(ctx, dest, tag); err != nil {
		return 0, err
	}
	w := c.world
	o, req := c.table.Post(pending.Message{Send: true, Peer: dest, Tag: tag, Buf: buf})
	switch {
	case w.drop != nil && w.drop(c.rank, dest, tag, len(buf)):
		o.Complete(nil)
	case w.delayer != nil:
		w.delayer.accept(c.rank, o)
	default:
		w.lane(c.rank, dest).send(o)
	}
	return req, nil
}

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
	if err := c.check(ctx, m.Peer, m.Tag); err != nil {
		return 0, err
	}
	o, req := c.table.Post(m)
	c.world.lane(m.Peer, c.rank).receive(o)
	return req, nil
}

func (c *comm) Wait(ctx context.Context, reqs []dist.Request) error {
	err := c.table.Wait(ctx, reqs, c.world.down, c)
	if errors.Is(err, dist.ErrClosed) {
		// A rank that closes because the run has failed is not the cause.
		if cause := c.world.failure(); cause != nil {
			return cause
		}
	}
	return err
}

// Cause returns the error for which the run has failed.
func (c *comm) Cause() error { return c.world.cause }

// Withdraw cancels an operation that is not complete.
func (c *comm) Withdraw(o *pending.Op) bool {
	w := c.world
	if !o.Send {
		w.lane(o.Peer, c.rank).withdraw(o)
	} else if w.delayer == nil || !w.delayer.withdraw(o) {
		w.lane(c.rank, o.Peer).withdraw(o)
	}
	return true
}

// enter adds data to the next collective and returns it when all ranks have entered it.
func (c *comm) enter(ctx context.Context, call collect.Call, data []byte) (*collect.Collective, error) {
	if err := c.check(ctx, c.rank, 0); err != nil {
		return nil, err
	}
	if err := call.Check(c.world.size); err != nil {
		return nil, err
	}
	w := c.world
	collective := w.collectives[c.entered&1]

	w.collective.Lock()
	c.entered++
	full, err := collective.Arrive(c.rank, call, data)
	if err == nil {
		err = c.checkClosed(call)
	}
	w.collective.Unlock()
	if err != nil {
		return nil, w.fail(err)
	}
	if full {
		for _, peer := range w.ranks {
			if peer != c {
				peer.wake <- struct{}{}
			}
		}
		return collective, nil
	}
	select {
	case <-c.wake:
		return collective, nil
	case <-w.down:
		return nil, w.cause
	case <-ctx.Done():
		return c.giveUp(ctx, call, collective)
	}
}

// checkClosed returns an error if a closed rank cannot enter the collective any more. The caller holds the lock.
func (c *comm) checkClosed(call collect.Call) error {
	for _, peer := range c.world.ranks {
		if peer.closed.Load() && peer.entered < c.entered {
			return &dist.PeerError{Rank: peer.rank, Err: fmt.Errorf("%v: %w", call, dist.ErrClosed)}
		}
	}
	return nil
}

// giveUp ends the run when the context of a collective ends: other ranks would wait for this one in later
// collectives.
func (c *comm) giveUp(ctx context.Context, call collect.Call, collective *collect.Collective) (*collect.Collective,
	error) {
	w := c.world
	w.collective.Lock()
	missing := collective.Missing()
	w.collective.Unlock()
	if missing < 0 { // all ranks have arrived meanwhile
		<-c.wake
		return collective, nil
	}
	err := &dist.PeerError{Rank: missing, Err: fmt.Errorf("has not called %v: %w", call, context.Cause(ctx))}
	gaveUp := &dist.PeerError{Rank: c.rank, Err: fmt.Errorf("gave up %v: %w", call, err)}
	if cause := w.fail(gaveUp); cause != error(gaveUp) {
		return nil, cause
	}
	return nil, err
}

// Abort ends the run on all ranks.
func (c *comm) Abort(code int, cause error) {
	_ = c.world.fail(&dist.AbortError{Rank: c.rank, Code: code, Cause: fmt.Sprint(cause)})
}

// Close does not wait long: completed sends of this rank have been delivered, apart from delayed ones.
func (c *comm) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	w := c.world
	if w.delayer != nil {
		w.delayer.flush(c.rank)
	}
	for r := range w.size {
		w.lane(c.rank, r).close(0)
		w.lane(r, c.rank).close(1)
	}
	w.collective.Lock()
	defer w.collective.Unlock()
	for _, peer := range w.ranks {
		if peer.entered > c.entered {
			_ = w.fail(&dist.PeerError{Rank: c.rank, Err: fmt.Errorf("a collective waits for it: %w", dist.ErrClosed)})
		}
	}
	return nil
}
