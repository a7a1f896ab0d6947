package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers/common/contour"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Surface returns the interface in the block as a mesh without gaps. Planes of neighbouring cells do not meet, so the
// mesh only approximates them: at each corner of a cell the signed distances from the planes of the surrounding mixed
// cells, and from faces between full and empty cells, are averaged, with larger weights for near ones; the surface is
// the zero contour of these averages. It is closed, except where it meets the boundary of the grid. Films thinner than
// a cell may be missing.
func (s *solver[F]) Surface(ctx context.Context) (*contour.Surface, error) {
	field, err := s.hostField(ctx, true)
	if err != nil {
		return nil, err
	}
	c := newCorners(s.block)
	var strides [3]int
	strides[0], strides[1], strides[2] = s.block.Strides()
	lo, hi := [3]int{-1, -1, -1}, s.block.N
	if s.block.Grid.Dim == 2 {
		lo[2], hi[2] = 0, 0
	}
	for k := lo[2]; k <= hi[2]; k++ {
		for j := lo[1]; j <= hi[1]; j++ {
			for i := lo[0]; i <= hi[0]; i++ {
				if _, _, _, inside := s.block.Global(i, j, k); !inside {
					continue
				}
				c0 := s.block.Index(i, j, k)
				f := float64(field[c0])
				c.addFraction(i, j, k, f)
				if s.mixed(f) {
					if m, alpha := s.unitPlane(field, c0); m != [3]float64{} {
						c.addPlane(i, j, k, m, alpha)
					}
					continue
				}
				for d := range s.block.Grid.Dim {
					below := [3]int{i, j, k}
					if below[d]--; below[d] < lo[d] {
						continue
					}
					_, _, _, inside := s.block.Global(below[0], below[1], below[2])
					if g := float64(field[c0-strides[d]]); inside && !s.mixed(g) && g < 0.5 != (f < 0.5) {
						c.addFace(i, j, k, d)
					}
				}
			}
		}
	}
	return c.surface(), nil
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

// surface returns the zero contour of the distances.
func (c *corners) surface() *contour.Surface {
	c.average()
	b := c.block
	nodes := &contour.Nodes{Dim: b.Grid.Dim, N: c.n, Values: c.distance, Lo: b.Lo, Whole: b.Grid.N,
		Coordinate: func(axis, node int) float64 {
			if axis >= b.Grid.Dim {
				return b.Grid.Lo[axis]
			}
			return b.Grid.Face(axis, node)
		}}
	for d := range nodes.Whole {
		nodes.Whole[d]++
	}
	return nodes.Surface()
}
