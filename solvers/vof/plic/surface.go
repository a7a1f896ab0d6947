package plic

import (
	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// Surface returns the interface in the block as a mesh without gaps. Any goroutine may call it. Planes of adjacent
// cells do not meet, so the mesh only approximates them: at each corner of a cell the signed distances from the planes
// of the surrounding mixed cells, and from faces between full and empty cells, are averaged, with larger weights for
// near ones; the surface is the zero contour of these averages. It is closed, except, if closed is not set, where it
// meets the boundary of the grid. Films thinner than a cell may be missing.
func (s *Interface[F]) Surface(field []F, closed bool) *contour.Surface {
	return newCorners(s, field).surface(closed)
}

// surface returns the zero contour of the distances, closed along the sides of the grid or not.
func (c *corners[F]) surface(closed bool) *contour.Surface {
	b := c.Block
	nodes := &contour.Nodes{Dim: b.Grid.Dim, N: c.n, Layers: c.layers, Lo: b.Lo, Whole: b.Grid.N,
		Coordinate: func(axis, node int) float64 {
			if axis >= b.Grid.Dim {
				return b.Grid.Lo[axis]
			}
			return b.Grid.Face(axis, node)
		}}
	for d := range nodes.Whole {
		nodes.Whole[d]++
	}
	if closed {
		nodes = nodes.Capped(domain.SidesOf(b), b.Grid.Periodic, 2*c.side)
	}
	return nodes.Surface()
}
