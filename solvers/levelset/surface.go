package levelset

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// SurfaceField returns the level set with ghosts, of which SurfaceOf makes the interface.
func (s *solver[F]) SurfaceField(context.Context) (solvers.Field, error) {
	f := s.f[now]
	return solvers.Field{Name: "phi", Space: &solvers.Space{Owned: len(f)},
		View: func() solvers.View { return solvers.ViewOf[F](s.dev, f, 0) }}, nil
}

// SurfaceOf returns the interface between the centres of the block's cells and of the next higher cells, so that there
// is no gap between blocks. It ends half a cell before walls. Any goroutine may call it.
func (s *solver[F]) SurfaceOf(field []float64) *contour.Surface {
	b := s.block
	n := &contour.Nodes{Dim: b.Grid.Dim, N: b.N, Lo: b.Lo, Whole: b.Grid.N, Coordinate: func(axis, node int) float64 {
		if axis >= b.Grid.Dim {
			return b.Grid.Lo[axis]
		}
		return b.Grid.Centre(axis, node)
	}}
	for d := range b.Grid.Dim {
		if b.HasNeighbours(d)[1] || b.Grid.Periodic[d] {
			n.N[d]++
		}
		n.Whole[d]++ // along a periodic axis the first node occurs again at the end
	}
	minValue := contour.MinDistance * float64(s.lattice.MinSide)
	rows := n.N[1] * n.N[2]
	n.Values = make([]float64, n.N[0]*rows)
	const fewRows = 100 // fewest of a thread
	parallel.Ranges(rows, parallel.Parts(rows, fewRows), func(_, lo, hi int) {
		for row := lo; row < hi; row++ {
			from := field[b.Index(0, row%n.N[1], row/n.N[1]):]
			to := n.Values[row*n.N[0] : (row+1)*n.N[0]]
			for i := range to {
				v := from[i]
				if math.Abs(v) < minValue {
					v = math.Copysign(minValue, v+0) // -0 counts as outside, like 0
				}
				to[i] = v
			}
		}
	})
	return n.Surface()
}
