package barrier

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// In a metric of the mesh's own sizes the worst quality rises, but the worst shape may fall: cells between coarse and
// fine ones are better in the metric if they are long. Users did not ask for that metric, and see the shape. Therefore
// no vertex then moves where that would give a cell a worse shape than the worst at the start.

// LeastShape returns the shape that no cell may fall below: the worst of the shapes of the cells of all ranks, less the
// round-off of a shape, so that the cells around the worst one can move; 0 if some cell is flat or inverted.
func LeastShape[F num.Float](ctx context.Context, comm dist.Comm, cells int, shape func(cell int) float64) (F, error) {
	worst := []float64{1}
	for c := range cells {
		worst[0] = min(worst[0], shape(c))
	}
	if err := comm.AllreduceFloat64(ctx, dist.Min, worst); err != nil {
		return 0, fmt.Errorf("worst shape: %w", err)
	}
	ulp := 0x1p-52
	if third := F(1) / 3; third == F(float32(third)) {
		ulp = 0x1p-23
	}
	return F(math.Max(0, worst[0]) * (1 - 16*ulp)), nil
}

// ShapeOfTriangle returns the shape of each triangle of a part, with coordinates in the precision F.
func ShapeOfTriangle[F num.Float](p *layout.Part) func(cell int) float64 {
	m := mesh.Mesh{X: make([]float64, 3), Y: make([]float64, 3), Cells: [][3]int32{{0, 1, 2}}}
	return func(cell int) float64 {
		for k, v := range p.Cells[cell].At {
			m.X[k], m.Y[k] = float64(F(p.X[v])), float64(F(p.Y[v]))
		}
		return m.Quality(0)
	}
}

// ShapeOfTetrahedron returns the shape of each tetrahedron of a part.
func ShapeOfTetrahedron[F num.Float](p *layout.SolidPart) func(cell int) float64 {
	m := mesh.Solid{X: make([]float64, 4), Y: make([]float64, 4), Z: make([]float64, 4), Cells: [][4]int32{{0, 1, 2, 3}}}
	return func(cell int) float64 {
		for k, v := range p.Cells[cell].At {
			m.X[k], m.Y[k], m.Z[k] = float64(F(p.X[v])), float64(F(p.Y[v])), float64(F(p.Z[v]))
		}
		return m.Quality(0)
	}
}
