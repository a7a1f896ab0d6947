//go:build mpi && cgo

package mpi

import (
	"bytes"
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

func (c *comm) AllreduceFloat64(ctx context.Context, op dist.Op, buf []float64) error {
	return c.reduce(ctx, collect.Call{Kind: collect.ReduceFloat64, Op: op, Len: len(buf) * 8}, collect.Bytes(buf))
}

func (c *comm) AllreduceInt64(ctx context.Context, op dist.Op, buf []int64) error {
	return c.reduce(ctx, collect.Call{Kind: collect.ReduceInt64, Op: op, Len: len(buf) * 8}, collect.Bytes(buf))
}

func (c *comm) Barrier(ctx context.Context) error {
	return c.reduce(ctx, collect.Call{Kind: collect.Barrier}, nil)
}

func (c *comm) reduce(ctx context.Context, call collect.Call, data []byte) error {
	c.calls.RLock()
	defer c.calls.RUnlock()
	if err := c.enter(ctx, call); err != nil {
		return err
	}
	return c.failOnError(c.agree(ctx, call, data))
}

// Bcast sends along a binomial tree.
func (c *comm) Bcast(ctx context.Context, root int, buf []byte) error {
	c.calls.RLock()
	defer c.calls.RUnlock()
	call := collect.Call{Kind: collect.Bcast, Root: root, Len: len(buf)}
	if err := c.enter(ctx, call); err != nil {
		return err
	}
	if err := c.agree(ctx, call, nil); err != nil {
		return c.failOnError(err)
	}
	position := (c.rank - root + c.size) % c.size // in the tree, whose root is 0
	bit := 1
	for ; bit < c.size; bit *= 2 {
		if position&bit != 0 {
			if err := c.receiveAll(ctx, (c.rank-bit+c.size)%c.size, buf); err != nil {
				return c.failOnError(err)
			}
			break
		}
	}
	var b transfers
	for bit /= 2; bit > 0; bit /= 2 {
		if position+bit < c.size {
			b.add(c, true, (c.rank+bit)%c.size, buf)
		}
	}
	return c.failOnError(b.wait(ctx, c))
}

// Gatherv first exchanges the lengths of all parts; then every rank sends its part to the root.
func (c *comm) Gatherv(ctx context.Context, root int, send []byte) ([][]byte, error) {
	c.calls.RLock()
	defer c.calls.RUnlock()
	call := collect.Call{Kind: collect.Gather, Root: root}
	lengths, err := c.lengths(ctx, call, len(send))
	if err != nil {
		return nil, err
	}
	var b transfers
	if c.rank != root {
		b.add(c, true, root, send)
		return nil, c.failOnError(b.wait(ctx, c))
	}
	parts := make([][]byte, c.size)
	for r := range parts {
		if r == root {
			parts[r] = bytes.Clone(send)
		} else {
			parts[r] = make([]byte, lengths[r])
			b.add(c, false, r, parts[r])
		}
	}
	if err := c.failOnError(b.wait(ctx, c)); err != nil {
		return nil, err
	}
	return parts, nil
}

// Allgatherv passes the parts around a ring.
func (c *comm) Allgatherv(ctx context.Context, send []byte) ([][]byte, error) {
	c.calls.RLock()
	defer c.calls.RUnlock()
	lengths, err := c.lengths(ctx, collect.Call{Kind: collect.Allgather}, len(send))
	if err != nil {
		return nil, err
	}
	parts := make([][]byte, c.size)
	for r := range parts {
		parts[r] = make([]byte, lengths[r])
	}
	copy(parts[c.rank], send)
	next, prev := (c.rank+1)%c.size, (c.rank+c.size-1)%c.size
	for i := range c.size - 1 {
		var b transfers
		b.add(c, false, prev, parts[(c.rank-i-1+c.size)%c.size])
		b.add(c, true, next, parts[(c.rank-i+c.size)%c.size])
		if err := c.failOnError(b.wait(ctx, c)); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// maxPartBytes is the largest part of a rank in a gather. It bounds lengths that come from other processes.
const maxPartBytes = 1 << 36

// lengths begins a gather: it returns the length of each rank's part.
func (c *comm) lengths(ctx context.Context, call collect.Call, own int) ([]int64, error) {
	if err := c.enter(ctx, call); err != nil {
		return nil, err
	}
	lengths := make([]int64, c.size)
	lengths[c.rank] = int64(own)
	if err := c.agree(ctx, call, collect.Bytes(lengths)); err != nil {
		return nil, c.failOnError(err)
	}
	for r, n := range lengths {
		if n < 0 || n > maxPartBytes {
			return nil, c.failOnError(&dist.PeerError{Rank: r, Err: fmt.Errorf("contributes %d bytes to %v, want at most %d",
				n, call, int64(maxPartBytes))})
		}
	}
	return lengths, nil
}
