package smooth

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

func (s *solver[F]) Resume(ctx context.Context, from Solver) error {
	other, ok := from.(*solver[F])
	if !ok {
		return fmt.Errorf("%T cannot go on from %T", s, from)
	}
	field := fieldIn[F](&s.metric.field)
	field.Scale = s.field.Scale
	return s.resume(ctx, &other.engine, func(v []kernels.Vertex[F]) complaint { return measured(s.part, &field, v) })
}

func (s *solidSolver[F]) Resume(ctx context.Context, from Solver) error {
	other, ok := from.(*solidSolver[F])
	if !ok {
		return fmt.Errorf("%T cannot go on from %T", s, from)
	}
	field := solidFieldIn[F](&s.metric.field)
	field.Scale = s.field.Scale
	return s.resume(ctx, &other.engine, func(v []solid.Vertex[F]) complaint { return s.measured(&field, v) })
}

// resume takes the vertices of another engine over, and measures the metric where they are.
func (e *engine[F, V]) resume(ctx context.Context, from *engine[F, V], measure func(v []V) complaint) error {
	v, err := from.everything()
	if err != nil {
		return err
	}
	v = slices.Clone(v)
	if err := agree(ctx, e.comm, measure(v)); err != nil {
		return err
	}
	if e.apart {
		copy(e.host, v)
	}
	e.known = false
	return backend.Upload(e.dev, e.v, v)
}
