package smooth

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/rescaling"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// initialise sets the metric of every vertex and returns the faults of the mesh; inverted triangles if not to be
// untangled.
func (s *solver[F]) initialise(field *kernels.Field[F], v []kernels.Vertex[F]) faults.List {
	part, c := s.part, s.withMetric(field, v)
	if s.cfg.Untangle {
		return c
	}
	for k, cell := range part.Cells {
		if area, ok := uprightCell(v, cell); !ok {
			a := &v[cell.At[0]]
			c.Add(part.CellGlobal[k], "cell %d at (%g, %g) is inverted or flat: its area is %g", part.CellGlobal[k], a.X, a.Y,
				area)
		}
	}
	return c
}

// withMetric sets the metric of each vertex to that at its position, and returns where it is not positive definite.
func (s *solver[F]) withMetric(field *kernels.Field[F], v []kernels.Vertex[F]) faults.List {
	part, comm := s.part, s.Env().Comm
	c := sizing.FlatCells(field, comm.Rank(), comm.Size())
	for i := range v {
		p := &v[i]
		at := field.At(p.X, p.Y)
		p.M11, p.M12, p.M22 = at.M11, at.M12, at.M22
		m11, m12, m22 := float64(at.M11), float64(at.M12), float64(at.M22)
		if i < part.Owned && !sizing.Positive(m11, m12, m22) {
			c.Add(part.Global[i], "vertex %d at (%g, %g): the metric is %s: m11 = %g, m12 = %g, m22 = %g",
				part.Global[i], p.X, p.Y, sizing.DescribePlane(m11, m12, m22), m11, m12, m22)
		}
	}
	return c
}

// uprightCell returns the area of a triangle, and whether it is positive by more than round-off.
func uprightCell[F num.Float](v []kernels.Vertex[F], cell kernels.Cell) (area float64, ok bool) {
	a, b, d := &v[cell.At[0]], &v[cell.At[1]], &v[cell.At[2]]
	one, other := float64((b.X-a.X)*(d.Y-a.Y)), float64((d.X-a.X)*(b.Y-a.Y))
	share := faults.AreaRoundOff
	if isFloat32[F]() {
		share = 4 * 0x1p-24
	}
	return (one - other) / 2, one-other > share*(math.Abs(one)+math.Abs(other))
}

// Untangle moves interior vertices only.
func (s *solver[F]) Untangle(ctx context.Context) (Untangling, error) {
	params := s.params
	params.Cull, params.Guard, params.Relax = false, kernels.NoGuard, 1
	field := sizing.InPrecision[F](&s.metric.Field)
	return s.untangle(ctx, untangler[F, kernels.Vertex[F]]{
		cell: "triangle", size: "area", cellIDs: s.part.CellGlobal,
		maximize: func(set *kernels.Set) backend.Loop {
			return kernels.NewUntangleLoop(set, &params, &s.mesh, &s.field, &s.control[0], s.v, s.moved, s.seen,
				&s.longestMove[0])
		},
		average: func(set *kernels.Set) backend.Loop {
			return kernels.NewLaplaceLoop(set, &params, &s.mesh, &s.field, &s.control[0], s.v, s.moved, s.seen, s.counters.At(),
				&s.longestMove[0])
		},
		cellSize: func(v []kernels.Vertex[F], cell int) (int32, float64, bool) {
			area, ok := uprightCell(v, s.part.Cells[cell])
			return s.part.Cells[cell].At[0], area, ok
		},
		rescale: func(at [][]float64) (float64, error) {
			return rescaling.Factor(ctx, s.Env().Comm, s.part, s.metric, at[0], at[1])
		},
		setMetric: func(v []kernels.Vertex[F], scale float64) faults.List {
			s.field.Scale, field.Scale = F(scale), F(scale)
			return s.withMetric(&field, v)
		},
	})
}
