package local

import (
	"bytes"
	"context"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

func (c *comm) reduce(ctx context.Context, kind collect.Kind, op dist.Op, buf []byte) error {
	collective, err := c.enter(ctx, collect.Call{Kind: kind, Op: op, Len: len(buf)}, buf)
	if err == nil {
		copy(buf, collective.Result)
	}
	return err
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
	if c.rank != root {
		data = nil
	}
	collective, err := c.enter(ctx, collect.Call{Kind: collect.Bcast, Root: root, Len: len(buf)}, data)
	if err == nil && c.rank != root {
		copy(buf, collective.Result)
	}
	return err
}

func (c *comm) Gatherv(ctx context.Context, root int, send []byte) ([][]byte, error) {
	collective, err := c.enter(ctx, collect.Call{Kind: collect.Gather, Root: root}, send)
	if err != nil || c.rank != root {
		return nil, err
	}
	return cloneParts(collective.Parts), nil
}

func (c *comm) Allgatherv(ctx context.Context, send []byte) ([][]byte, error) {
	collective, err := c.enter(ctx, collect.Call{Kind: collect.Allgather}, send)
	if err != nil {
		return nil, err
	}
	return cloneParts(collective.Parts), nil
}

// cloneParts copies the parts, so that the caller owns them.
func cloneParts(parts [][]byte) [][]byte {
	out := make([][]byte, len(parts))
	for i, p := range parts {
		out[i] = bytes.Clone(p)
	}
	return out
}
