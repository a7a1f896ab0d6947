package levelset

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/contour"
)

// Surface returns the interface between the centres of the block's cells and of the next higher cells, so that there
// is no gap between blocks. It ends half a cell before walls.
func (s *solver[F]) Surface(context.Context) (*contour.Surface, error) {
	field, err := s.hostField()
	if err != nil {
		return nil, err
	}
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
	for k := range n.N[2] {
		for j := range n.N[1] {
			for i := range n.N[0] {
				v := float64(field[b.Index(i, j, k)])
				if math.Abs(v) < minValue {
					v = math.Copysign(minValue, v+0) // -0 counts as outside, like 0
				}
				n.Values = append(n.Values, v)
			}
		}
	}
	return n.Surface(), nil
}
