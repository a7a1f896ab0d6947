package smooth

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

func (s *solver[F]) Resume(ctx context.Context, from Solver) error {
	other, ok := from.(*solver[F])
	if !ok {
		return fmt.Errorf("%T cannot go on from %T", s, from)
	}
	v, err := other.everything()
	if err != nil {
		return err
	}
	return s.resume(ctx, slices.Clone(v), s.remeasured)
}

func (s *solver[F]) Put(ctx context.Context, places [][3]float64) error {
	v, err := s.everything()
	if err != nil {
		return err
	}
	v = slices.Clone(v)
	for i, p := range places {
		v[i].X, v[i].Y = F(p[0]), F(p[1])
	}
	return s.resume(ctx, v, s.remeasured)
}

// remeasured gives vertices the metric where they are.
func (s *solver[F]) remeasured(v []kernels.Vertex[F]) faults.Found {
	field := sizing.In[F](&s.metric.Field)
	field.Scale = s.field.Scale
	return measured(s.part, &field, v)
}

func (s *solidSolver[F]) Resume(ctx context.Context, from Solver) error {
	other, ok := from.(*solidSolver[F])
	if !ok {
		return fmt.Errorf("%T cannot go on from %T", s, from)
	}
	v, err := other.everything()
	if err != nil {
		return err
	}
	return s.resume(ctx, slices.Clone(v), s.remeasured)
}

func (s *solidSolver[F]) Put(ctx context.Context, places [][3]float64) error {
	v, err := s.everything()
	if err != nil {
		return err
	}
	v = slices.Clone(v)
	for i, p := range places {
		v[i].X, v[i].Y, v[i].Z = F(p[0]), F(p[1]), F(p[2])
	}
	return s.resume(ctx, v, s.remeasured)
}

// remeasured gives vertices the metric where they are.
func (s *solidSolver[F]) remeasured(v []solid.Vertex[F]) faults.Found {
	field := sizing.SolidIn[F](&s.metric.Field)
	field.Scale = s.field.Scale
	return s.measured(&field, v)
}

// resume takes vertices over when they are measured.
func (e *engine[F, V]) resume(ctx context.Context, v []V, measure func(v []V) faults.Found) error {
	if err := faults.Agree(ctx, e.comm, measure(v)); err != nil {
		return err
	}
	if e.apart {
		copy(e.host, v)
	}
	e.known = false
	return backend.Upload(e.dev, e.v, v)
}
