package grpc

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

// copyResult copies a result of the expected length.
func (c *comm) copyResult(buf, result []byte) error {
	if len(result) != len(buf) {
		return &dist.PeerError{Rank: c.coordinatorRank(), Err: fmt.Errorf("sent %d bytes as the result of a collective of %d",
			len(result), len(buf))}
	}
	copy(buf, result)
	return nil
}

func (c *comm) reduce(ctx context.Context, kind collect.Kind, op dist.Op, buf []byte) error {
	result, err := c.enter(ctx, collect.Call{Kind: kind, Op: op, Len: len(buf)}, buf)
	if err != nil {
		return err
	}
	return c.copyResult(buf, result)
}

func (c *comm) AllreduceFloat64(ctx context.Context, op dist.Op, buf []float64) error {
	return c.reduce(ctx, collect.ReduceFloat64, op, collect.Bytes(buf))
}

func (c *comm) AllreduceInt64(ctx context.Context, op dist.Op, buf []int64) error {
	return c.reduce(ctx, collect.ReduceInt64, op, collect.Bytes(buf))
}

func (c *comm) Barrier(ctx context.Context) error {
	_, err := c.enter(ctx, collect.Call{Kind: collect.Barrier}, nil)
	return err
}

func (c *comm) Bcast(ctx context.Context, root int, buf []byte) error {
	data := buf
	if c.cfg.Rank != root {
		data = nil
	}
	result, err := c.enter(ctx, collect.Call{Kind: collect.Bcast, Root: root, Len: len(buf)}, data)
	if err != nil || c.cfg.Rank == root {
		return err
	}
	return c.copyResult(buf, result)
}

func (c *comm) Gatherv(ctx context.Context, root int, send []byte) ([][]byte, error) {
	result, err := c.enter(ctx, collect.Call{Kind: collect.Gather, Root: root}, send)
	if err != nil || c.cfg.Rank != root {
		return nil, err
	}
	return unpackResult(result, c.cfg.Size)
}

func (c *comm) Allgatherv(ctx context.Context, send []byte) ([][]byte, error) {
	result, err := c.enter(ctx, collect.Call{Kind: collect.Allgather}, send)
	if err != nil {
		return nil, err
	}
	return unpackResult(result, c.cfg.Size)
}
