package levelset

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// SurfaceField returns the level set with ghosts, of which SurfaceOf makes the interface.
func (s *solver[F]) SurfaceField(context.Context) (solvers.Field, error) {
	f := s.f[now].Data
	return solvers.Field{Name: "phi", Space: &solvers.Space{Owned: len(f)},
		View: func() solvers.View { return solvers.ViewOf[F](s.Env().Device, f, 0) }}, nil
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
	size := n.N[0]
	if b.Grid.Dim == 3 {
		size *= n.N[1]
	}
	n.Layers = contour.LayersBy(size, func(layer int, values []float64) {
		for row := 0; row < size; row += n.N[0] {
			j, k := row/n.N[0], layer
			if b.Grid.Dim == 2 {
				j, k = layer, 0
			}
			from := field[b.Index(0, j, k):]
			for i := range n.N[0] {
				v := from[i]
				if math.Abs(v) < minValue {
					v = math.Copysign(minValue, v+0) // -0 counts as outside, like 0
				}
				values[row+i] = v
			}
		}
	})
	return n.Surface()
}
