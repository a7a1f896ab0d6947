package sizing

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
)

// Head returns a metric on a mesh without its arrays, which Broadcast brings to other ranks.
func (m *Metric) Head() *Metric {
	head := *m
	f := &head.Field
	f.Nodes, f.Background, f.Starts, f.Lists, f.Listed = nil, nil, nil, nil, nil
	return &head
}

// Broadcast gives the Head that other ranks have the arrays of rank 0. It is a collective.
func (m *Metric) Broadcast(ctx context.Context, comm dist.Comm) error {
	f := &m.Field
	return broadcast(ctx, comm, &f.Nodes, &f.Background, &f.Starts, &f.Lists, &f.Listed)
}

// Head is that of Metric in space.
func (m *SolidMetric) Head() *SolidMetric {
	head := *m
	f := &head.Field
	f.Nodes, f.Background, f.Starts, f.Lists, f.Listed = nil, nil, nil, nil, nil
	return &head
}

// Broadcast is that of Metric in space.
func (m *SolidMetric) Broadcast(ctx context.Context, comm dist.Comm) error {
	f := &m.Field
	return broadcast(ctx, comm, &f.Nodes, &f.Background, &f.Starts, &f.Lists, &f.Listed)
}

func broadcast[N, C any](ctx context.Context, comm dist.Comm, nodes *[]N, cells *[]C, indices ...*[]int32) error {
	if err := dist.Broadcast(ctx, comm, nodes); err != nil {
		return err
	}
	if err := dist.Broadcast(ctx, comm, cells); err != nil {
		return err
	}
	for _, a := range indices {
		if err := dist.Broadcast(ctx, comm, a); err != nil {
			return err
		}
	}
	return nil
}
