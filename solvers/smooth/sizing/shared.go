package sizing

import (
	"context"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/onmachine"
)

// Head returns a metric on a mesh without its arrays, which Share brings to other ranks.
func (m *Metric) Head() *Metric {
	head := *m
	f := &head.Field
	f.Nodes, f.Background, f.Starts, f.Lists, f.Listed = nil, nil, nil, nil, nil
	return &head
}

// Share gives the Head that other ranks have the arrays of rank 0, as onmachine.Share does: the Copy, which may be nil,
// has them until it is closed. It is a collective.
func (m *Metric) Share(ctx context.Context, comm dist.Comm, least int64) (*onmachine.Copy, error) {
	f := &m.Field
	return onmachine.Share(ctx, comm, least, onmachine.Of(&f.Nodes), onmachine.Of(&f.Background), onmachine.Of(&f.Starts),
		onmachine.Of(&f.Lists), onmachine.Of(&f.Listed))
}

// Head is that of Metric in space.
func (m *SolidMetric) Head() *SolidMetric {
	head := *m
	f := &head.Field
	f.Nodes, f.Background, f.Starts, f.Lists, f.Listed = nil, nil, nil, nil, nil
	return &head
}

// Share is that of Metric in space.
func (m *SolidMetric) Share(ctx context.Context, comm dist.Comm, least int64) (*onmachine.Copy, error) {
	f := &m.Field
	return onmachine.Share(ctx, comm, least, onmachine.Of(&f.Nodes), onmachine.Of(&f.Background), onmachine.Of(&f.Starts),
		onmachine.Of(&f.Lists), onmachine.Of(&f.Listed))
}
