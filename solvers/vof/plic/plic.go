// Package plic reconstructs the interface from the volume fractions of a block's cells: a line or plane in each mixed
// cell (piecewise linear interface calculation), its curvature, and a surface without gaps.
package plic

import (
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/mesh/vector"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Interface is the interface in a block. Its methods take the volume fractions of the block's array, with current
// ghosts, and indices c in it.
type Interface[F num.Float] struct {
	Block  *grid.Block
	Normal int32 // the method of normals: kernels.Youngs and so on
}

// Mixed reports whether a cell with the volume fraction f is mixed, so that it has a plane.
func (s *Interface[F]) Mixed(f float64) bool {
	tolerance := float64(RoundOff[F]())
	return f > tolerance && f < 1-tolerance
}

// Plane returns the plane of the mixed cell at index c: the fluid is where n·x ≤ alpha, with the unit normal n and x
// relative to the lowest corner of the cell; and the size of the interface in the cell. If the interface has no
// direction, all are 0.
func (s *Interface[F]) Plane(field []F, c int) (n [3]float64, alpha, size float64) {
	var m geom.Plane[F]
	h := s.Sides()
	if s.Block.Grid.Dim == 2 {
		p := kernels.PlaneOf2(field, c, Lattice(s.Block), s.Normal, DifferenceStep[F]())
		m = geom.Plane[F]{X: p.X, Y: p.Y, Alpha: p.Alpha}
		size = float64(geom.Length(&p, h[0], h[1]))
	} else {
		m = kernels.PlaneOf3(field, c, Lattice(s.Block), s.Normal, DifferenceStep[F]())
		size = float64(geom.Section(&m, h[0], h[1], h[2]))
	}
	n = [3]float64{float64(m.X / h[0]), float64(m.Y / h[1]), float64(m.Z / h[2])}
	l := math.Sqrt(vector.Dot(n, n))
	if l == 0 {
		return n, 0, 0
	}
	for d := range n {
		n[d] /= l
	}
	return n, float64(m.Alpha) / l, size
}

// UnitPlane returns the plane m·ξ = α of a mixed cell in unit coordinates.
func (s *Interface[F]) UnitPlane(field []F, index int) (m [3]float64, alpha float64) {
	if s.Block.Grid.Dim == 2 {
		p := kernels.PlaneOf2(field, index, Lattice(s.Block), s.Normal, DifferenceStep[F]())
		return [3]float64{float64(p.X), float64(p.Y), 0}, float64(p.Alpha)
	}
	p := kernels.PlaneOf3(field, index, Lattice(s.Block), s.Normal, DifferenceStep[F]())
	return [3]float64{float64(p.X), float64(p.Y), float64(p.Z)}, float64(p.Alpha)
}

// Sides returns the side lengths of the cells, 1 along z in the plane.
func (s *Interface[F]) Sides() [3]F {
	h := [3]F{1, 1, 1}
	for d := range s.Block.Grid.Dim {
		h[d] = F(s.Block.Grid.Spacing(d))
	}
	return h
}

// Lattice describes the layout of a block's arrays for the kernels.
func Lattice(b *grid.Block) kernels.Lattice {
	_, sy, sz := b.Strides()
	return kernels.Lattice{Origin: int32(b.Index(0, 0, 0)), SY: int32(sy), SZ: int32(sz)}
}

// DifferenceStep returns the step of finite differences: about the square root of the unit round-off, 2⁻¹² in float32
// and 2⁻²⁶ in float64.
func DifferenceStep[F num.Float]() F {
	if F(1)+0x1p-40 == 1 {
		return 0x1p-12
	}
	return 0x1p-26
}

// RoundOff returns the tolerance within which a volume fraction counts as 0 or 1: 64 machine epsilons, which a cell
// accumulates from the errors of its fluxes.
func RoundOff[F num.Float]() F {
	if F(1)+0x1p-40 == 1 {
		return 0x1p-17
	}
	return 0x1p-46
}
