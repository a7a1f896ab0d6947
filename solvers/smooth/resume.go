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

func (s *solver[F]) Resume(ctx context.Context, from Vertices) error {
	return s.resumeFrom(ctx, from, s.updateMetric)
}

func (s *solver[F]) SetPositions(ctx context.Context, positions [][3]float64) error {
	v, err := s.allVertices()
	if err != nil {
		return err
	}
	v = slices.Clone(v)
	for i, p := range positions {
		v[i].X, v[i].Y = F(p[0]), F(p[1])
	}
	return s.resume(ctx, v, s.updateMetric)
}

// updateMetric sets the metric of vertices to that at their positions.
func (s *solver[F]) updateMetric(v []kernels.Vertex[F]) faults.List {
	field := sizing.InPrecision[F](&s.metric.Field)
	field.Scale = s.field.Scale
	return s.withMetric(&field, v)
}

func (s *solidSolver[F]) Resume(ctx context.Context, from Vertices) error {
	return s.resumeFrom(ctx, from, s.updateMetric)
}

func (s *solidSolver[F]) SetPositions(ctx context.Context, positions [][3]float64) error {
	v, err := s.allVertices()
	if err != nil {
		return err
	}
	v = slices.Clone(v)
	for i, p := range positions {
		v[i].X, v[i].Y, v[i].Z = F(p[0]), F(p[1]), F(p[2])
	}
	return s.resume(ctx, v, s.updateMetric)
}

// updateMetric sets the metric of vertices to that at their positions.
func (s *solidSolver[F]) updateMetric(v []solid.Vertex[F]) faults.List {
	field := sizing.SolidInPrecision[F](&s.metric.Field)
	field.Scale = s.field.Scale
	return s.withMetric(&field, v)
}

func (e *mover[F, V]) Vertices() (Vertices, error) {
	v, err := e.allVertices()
	return slices.Clone(v), err
}

// resumeFrom implements Resume. update gives vertices the metric at their positions.
func (e *mover[F, V]) resumeFrom(ctx context.Context, from Vertices, update func(v []V) faults.List) error {
	v, ok := from.([]V)
	if !ok {
		return fmt.Errorf("a solver with vertices %T cannot resume from %T: another dimension or precision", e.v, from)
	}
	return e.resume(ctx, v, update)
}

// resume sets the vertices, after update has given them the metric at their positions.
func (e *mover[F, V]) resume(ctx context.Context, v []V, update func(v []V) faults.List) error {
	if err := faults.Agree(ctx, e.Env().Comm, update(v)); err != nil {
		return err
	}
	if e.separate {
		copy(e.host, v)
	}
	e.diagnosed = false
	return backend.Upload(e.Env().Device, e.v, v)
}
