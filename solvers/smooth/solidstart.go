package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/rescaling"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// initialise sets the metric of every vertex and returns the faults of the mesh; inverted cells if not to be untangled.
func (s *solidSolver[F]) initialise(v []solid.Vertex[F]) faults.List {
	c := s.withMetric(&s.field, v)
	if s.cfg.Untangle {
		return c
	}
	for k := range s.part.Cells {
		if at, volume, ok := s.uprightCell(v, k); !ok {
			a, id := &v[at], s.part.CellGlobal[k]
			c.Add(id, "cell %d at (%g, %g, %g) is inverted or flat: its volume is %g", id, a.X, a.Y, a.Z, volume)
		}
	}
	return c
}

// withMetric sets the metric of each vertex to that at its position, and returns where it is not positive definite.
func (s *solidSolver[F]) withMetric(field *solid.Field[F], v []solid.Vertex[F]) faults.List {
	comm := s.Env().Comm
	c := sizing.FlatSolidCells(field, comm.Rank(), comm.Size())
	for i := range v {
		p := &v[i]
		at := field.At(solid.Vector[F]{X: p.X, Y: p.Y, Z: p.Z})
		p.M11, p.M12, p.M13, p.M22, p.M23, p.M33 = at.M11, at.M12, at.M13, at.M22, at.M23, at.M33
		m := sizing.Six{float64(at.M11), float64(at.M12), float64(at.M13), float64(at.M22), float64(at.M23), float64(at.M33)}
		if i < s.part.Owned && !m.Positive() {
			c.Add(s.part.Global[i], "vertex %d at (%g, %g, %g): the metric is %s: m11, m12, m13, m22, m23, m33 = %v",
				s.part.Global[i], p.X, p.Y, p.Z, m.Describe(), m)
		}
	}
	return c
}

// uprightCell returns the first vertex of a cell, its volume, and whether that is positive by more than round-off.
func (s *solidSolver[F]) uprightCell(v []solid.Vertex[F], cell int) (first int32, volume float64, upright bool) {
	at := &s.part.Cells[cell].At
	a, b, c, d := &v[at[0]], &v[at[1]], &v[at[2]], &v[at[3]]
	return at[0], float64(solid.Volume(a, b, c, d)), solid.Upright(a, b, c, d, s.params.Flat)
}

// Untangle moves vertices inside the mesh, in flat parts of its boundary, and along its straight edges.
func (s *solidSolver[F]) Untangle(ctx context.Context) (Untangling, error) {
	constants := s.constants
	constants.Cull, constants.Guard, constants.Relax = false, solid.NoGuard, 1
	field := sizing.SolidInPrecision[F](&s.metric.Field)
	return s.untangle(ctx, untangler[F, solid.Vertex[F]]{
		cell: "tetrahedron", size: "volume", sliding: true, cellIDs: s.part.CellGlobal,
		maximize: func(of *kernels.Set) backend.Loop {
			return solid.NewUntangleLoop(solidSet(of), &constants, &s.mesh, &s.field, s.solidControl(), s.v, s.moved, s.seen,
				&s.longestMove[0])
		},
		average: func(of *kernels.Set) backend.Loop {
			return solid.NewLaplaceLoop(solidSet(of), &constants, &s.mesh, &s.field, s.solidControl(), s.v, s.moved, s.seen,
				(*solid.Counters)(s.counters.At()), &s.longestMove[0])
		},
		cellSize: s.uprightCell,
		rescale: func(at [][]float64) (float64, error) {
			return rescaling.SolidFactor(ctx, s.Env().Comm, s.part, s.metric, at)
		},
		setMetric: func(v []solid.Vertex[F], scale float64) faults.List {
			s.field.Scale, field.Scale = F(scale), F(scale)
			return s.withMetric(&field, v)
		},
	})
}
