package grpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
	"github.com/atoll-hpc/atoll/proto"
)

func (c *comm) AllreduceFloat64(ctx context.Context, op dist.Op, buf []float64) error {
	return c.reduce(ctx, collect.ReduceFloat64, op, collect.Bytes(buf))
}

func (c *comm) AllreduceInt64(ctx context.Context, op dist.Op, buf []int64) error {
	return c.reduce(ctx, collect.ReduceInt64, op, collect.Bytes(buf))
}

func (c *comm) reduce(ctx context.Context, kind collect.Kind, op dist.Op, buf []byte) error {
	result, err := c.collect(ctx, collect.Call{Kind: kind, Op: op, Len: len(buf)}, buf)
	copy(buf, result)
	return err
}

func (c *comm) Barrier(ctx context.Context) error {
	_, err := c.collect(ctx, collect.Call{Kind: collect.Barrier}, nil)
	return err
}

func (c *comm) Bcast(ctx context.Context, root int, buf []byte) error {
	result, err := c.collect(ctx, collect.Call{Kind: collect.Bcast, Root: root, Len: len(buf)}, buf)
	if c.cfg.Rank != root {
		copy(buf, result)
	}
	return err
}

func (c *comm) Gatherv(ctx context.Context, root int, send []byte) ([][]byte, error) {
	result, err := c.collect(ctx, collect.Call{Kind: collect.Gather, Root: root}, send)
	if err != nil || c.cfg.Rank != root {
		return nil, err
	}
	return c.parts(result)
}

func (c *comm) Allgatherv(ctx context.Context, send []byte) ([][]byte, error) {
	result, err := c.collect(ctx, collect.Call{Kind: collect.Allgather}, send)
	if err != nil {
		return nil, err
	}
	return c.parts(result)
}

// parts returns copies of the parts of all ranks in the result of a gather.
func (c *comm) parts(result []byte) ([][]byte, error) {
	return collect.Parts(bytes.Clone(result), c.cfg.Size)
}

// collect makes a collective, and returns its result, which is valid until the next one. If it fails, the run ends: the
// other ranks would wait for this one.
func (c *comm) collect(ctx context.Context, call collect.Call, data []byte) ([]byte, error) {
	if err := c.check(ctx, c.cfg.Rank, 0); err != nil {
		return nil, err
	}
	if err := call.Check(c.cfg.Size); err != nil {
		return nil, err
	}
	if len(data) > c.cfg.CollectiveLimit {
		return nil, fmt.Errorf("dist/grpc: %d bytes in a collective, want at most %d: use messages for more", len(data),
			c.cfg.CollectiveLimit)
	}
	c.entered.Add(1)
	result, err := c.tree.Run(ctx, &c.links, call, data)
	if err == nil {
		return result, nil
	}
	select {
	case <-c.down:
		return nil, c.cause
	default:
	}
	var peer *dist.PeerError
	switch {
	case ctx.Err() != nil:
		return nil, c.giveUp(ctx, call)
	case errors.Is(err, dist.ErrClosed) && errors.As(err, &peer):
		c.reportFault(peer.Rank, fmt.Errorf("%w, while rank %d calls %v", dist.ErrClosed, c.cfg.Rank, call))
	case errors.As(err, &peer):
		c.reportFault(peer.Rank, peer.Err)
	default:
		c.reportFault(c.cfg.Rank, err)
	}
	select {
	case <-c.down:
		return nil, c.cause
	default:
		return nil, err // the rank has closed
	}
}

// giveUp ends the run when the context of a collective ends: the other ranks would wait for this one in later
// collectives. The error names a rank that has not entered the collective, if the coordinator knows one.
func (c *comm) giveUp(ctx context.Context, what collect.Call) error {
	why := context.Cause(ctx)
	text := fmt.Sprintf("%v: %v", what, why)
	c.report(&proto.FromRank{Kind: &proto.FromRank_GiveUp{GiveUp: &proto.GiveUp{Text: truncated(text),
		Entered: c.entered.Load()}}},
		&dist.PeerError{Rank: c.coordinatorRank(), Err: fmt.Errorf("%v: %w", what, why)})
	<-c.down
	if v := c.control.verdict.Load(); v != nil && v.WaitingFor >= 0 && int(v.Rank) == c.cfg.Rank {
		return &dist.PeerError{Rank: int(v.WaitingFor), Err: fmt.Errorf("has not called %v: %w", what, why)}
	}
	return c.cause
}

// links carries the messages of collectives, beside those of Isend and Irecv.
type links struct {
	c        *comm
	requests []dist.Request
	from     map[int]*[]byte // the last message of each rank
	received [][]byte
}

// collectiveTag is the tag of messages of collectives. Those of callers are less.
const collectiveTag = 1 << 62

// maxKeptBytes is the largest memory of a message that is kept for the next one.
const maxKeptBytes = 1 << 20

// Send implements collect.Links.
func (l *links) Send(ctx context.Context, msg []byte, to []int) error {
	l.requests = l.requests[:0]
	for _, rank := range to {
		l.requests = append(l.requests, l.c.send(rank, collectiveTag, msg))
	}
	return l.c.Wait(ctx, l.requests)
}

// Receive implements collect.Links.
func (l *links) Receive(ctx context.Context, from []int) ([][]byte, error) {
	l.requests, l.received = l.requests[:0], l.received[:0]
	for _, rank := range from {
		memory := l.from[rank]
		if memory == nil || cap(*memory) > maxKeptBytes {
			memory = new([]byte)
			l.from[rank] = memory
		}
		limit := collect.CallBytes + l.c.tree.Ranks(rank)*(l.c.cfg.CollectiveLimit+8)
		l.requests = append(l.requests, l.c.receive(pending.Message{Peer: rank, Tag: collectiveTag, Grow: memory,
			Limit: limit}))
	}
	if err := l.c.Wait(ctx, l.requests); err != nil {
		return nil, err
	}
	for _, rank := range from {
		l.received = append(l.received, *l.from[rank])
	}
	return l.received, nil
}
