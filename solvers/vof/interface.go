package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// SurfaceField returns the volume fractions with ghosts, of which SurfaceOf makes the interface. All ranks call it.
func (s *solver[F]) SurfaceField(ctx context.Context) (solvers.Field, error) {
	f := s.state().Data
	return solvers.Field{Name: "f", Space: &solvers.Space{Owned: len(f)},
		View: func() solvers.View { return solvers.ViewOf[F](s.Env().Device, f, 0) }}, s.fillGhosts(ctx)
}

// SurfaceOf returns the interface in the block as a mesh without gaps. Any goroutine may call it. Planes of adjacent
// cells do not meet, so the mesh only approximates them: at each corner of a cell the signed distances from the planes
// of the surrounding mixed cells, and from faces between full and empty cells, are averaged, with larger weights for
// near ones; the surface is the zero contour of these averages. It is closed, except, if closed is not set, where it
// meets the boundary of the grid. Films thinner than a cell may be missing.
func (s *solver[F]) SurfaceOf(fractions []float64, closed bool) *contour.Surface {
	field, same := any(fractions).([]F)
	if !same {
		field = make([]F, len(fractions))
		for i, f := range fractions {
			field[i] = F(f)
		}
	}
	return newCorners(s, field).surface(closed)
}

// unitPlane returns the plane m·ξ = α of a mixed cell in unit coordinates.
func (s *solver[F]) unitPlane(field []F, index int) (m [3]float64, alpha float64) {
	if s.block.Grid.Dim == 2 {
		p := kernels.PlaneOf2(field, index, lattice(s.block), s.cfg.normalMethod(), differenceStep[F]())
		return [3]float64{float64(p.X), float64(p.Y), 0}, float64(p.Alpha)
	}
	p := kernels.PlaneOf3(field, index, lattice(s.block), s.cfg.normalMethod(), differenceStep[F]())
	return [3]float64{float64(p.X), float64(p.Y), float64(p.Z)}, float64(p.Alpha)
}

// surface returns the zero contour of the distances, closed along the sides of the grid or not.
func (c *corners[F]) surface(closed bool) *contour.Surface {
	b := c.block
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
