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

// comm is one rank's view of the world.
type comm struct {
	world  *world
	rank   int
	table  pending.Table
	closed atomic.Bool

	entered int           // collectives entered; written under world.collective
	wake    chan struct{} // tells that the round entered last is full
}

func (c *comm) Rank() int { return c.rank }
func (c *comm) Size() int { return c.world.size }

func (c *comm) check(ctx context.Context, peer, tag int) error {
	if c.closed.Load() {
		return &dist.PeerError{Rank: c.rank, Err: ErrClosed}
	}
	if err := c.world.failure(); err != nil {
		return err
	}
	return pending.Check(ctx, c.world.size, peer, tag)
}

func (c *comm) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	if err := c.check(ctx, to, tag); err != nil {
		return 0, err
	}
	w := c.world
	o, req := c.table.Post(pending.Message{Send: true, Peer: to, Tag: tag, Buf: buf})
	switch {
	case w.drop != nil && w.drop(c.rank, to, tag, len(buf)):
		o.Complete(nil)
	case w.delayer != nil:
		w.delayer.accept(c.rank, o)
	default:
		w.lane(c.rank, to).send(o)
	}
	return req, nil
}

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
	if err := c.check(ctx, m.Peer, m.Tag); err != nil {
		return 0, err
	}
	o, req := c.table.Post(m)
	c.world.lane(m.Peer, c.rank).receive(o)
	return req, nil
}

func (c *comm) Wait(ctx context.Context, reqs []dist.Request) error {
	err := c.table.Wait(ctx, reqs, c.world.down, c)
	if errors.Is(err, ErrClosed) {
		// A rank that leaves because the run has failed is not to blame.
		if cause := c.world.failure(); cause != nil {
			return cause
		}
	}
	return err
}

// Cause says why the run has failed.
func (c *comm) Cause() error { return c.world.cause }

// Withdraw takes back an operation that has not ended.
func (c *comm) Withdraw(o *pending.Op) bool {
	w := c.world
	if !o.Send {
		w.lane(o.Peer, c.rank).withdraw(o)
	} else if w.delayer == nil || !w.delayer.withdraw(o) {
		w.lane(c.rank, o.Peer).withdraw(o)
	}
	return true
}

// enter brings data into the next round and returns the round when all ranks have entered it.
func (c *comm) enter(ctx context.Context, call collect.Call, data []byte) (*collect.Collective, error) {
	if err := c.check(ctx, c.rank, 0); err != nil {
		return nil, err
	}
	if err := call.Check(c.world.size); err != nil {
		return nil, err
	}
	w := c.world
	round := w.collectives[c.entered&1]

	w.collective.Lock()
	c.entered++
	full, err := round.Arrive(c.rank, call, data)
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
		return round, nil
	}
	select {
	case <-c.wake:
		return round, nil
	case <-w.down:
		return nil, w.cause
	case <-ctx.Done():
		return c.giveUp(ctx, call, round)
	}
}

// checkClosed refuses a collective that a closed rank can no longer join. The caller holds the lock.
func (c *comm) checkClosed(call collect.Call) error {
	for _, peer := range c.world.ranks {
		if peer.closed.Load() && peer.entered < c.entered {
			return &dist.PeerError{Rank: peer.rank, Err: fmt.Errorf("%v: %w", call, ErrClosed)}
		}
	}
	return nil
}

// giveUp ends the run: the ranks that are in later rounds would wait for this one.
func (c *comm) giveUp(ctx context.Context, call collect.Call, round *collect.Collective) (*collect.Collective, error) {
	w := c.world
	w.collective.Lock()
	missing := round.Missing()
	w.collective.Unlock()
	if missing < 0 { // the round is full after all
		<-c.wake
		return round, nil
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

// Close never waits long: nothing that this rank has sent and waited for is still on its way.
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
			_ = w.fail(&dist.PeerError{Rank: c.rank, Err: fmt.Errorf("a collective waits for it: %w", ErrClosed)})
		}
	}
	return nil
}
