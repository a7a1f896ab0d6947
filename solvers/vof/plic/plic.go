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
	Normal int32  // the method of normals: kernels.Youngs and so on
	Rings  bool   // the cells are rings around the side x = 0 of the grid, in the plane
	Solid  []bool // by index: cells without an interface; nil for none
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
	m, h := s.unitPlane(field, c), s.Sides()
	if s.Block.Grid.Dim == 2 {
		size = float64(geom.Length(&geom.Line[F]{X: m.X, Y: m.Y, Alpha: m.Alpha}, h[0], h[1]))
	} else {
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
	p := s.unitPlane(field, index)
	return [3]float64{float64(p.X), float64(p.Y), float64(p.Z)}, float64(p.Alpha)
}

func (s *Interface[F]) unitPlane(field []F, c int) geom.Plane[F] {
	if s.Block.Grid.Dim == 3 {
		return kernels.PlaneOf3(field, c, Lattice(s.Block), s.Normal, DifferenceStep[F]())
	}
	p := kernels.PlaneOf2(field, c, Lattice(s.Block), s.Normal, DifferenceStep[F]())
	if s.Rings {
		p.Alpha = geom.RingConstant(p.X, p.Y, field[c], s.inner(c))
	}
	return geom.Plane[F]{X: p.X, Y: p.Y, Alpha: p.Alpha}
}

// inner returns the radius of the lower face across x of a ring, in lengths of a cell.
func (s *Interface[F]) inner(c int) F {
	i, _, _ := s.Block.Cell(c)
	return F(s.Block.Lo[0] + i)
}

// Area returns the area of the interface in the cell at index c, in the plane its length: that of the plane of a mixed
// cell, or of the faces between full and empty cells, which the full one has.
func (s *Interface[F]) Area(field []F, c int) float64 {
	if s.isSolid(c) {
		return 0
	}
	if !s.HasPlane(field, c) {
		return s.facesOf(field, c)
	}
	if s.Rings {
		m, h := s.unitPlane(field, c), s.Block.Grid.Spacing(0)
		section := geom.RingSection(&geom.Line[F]{X: m.X, Y: m.Y, Alpha: m.Alpha}, s.inner(c))
		return 2 * math.Pi * h * h * float64(section)
	}
	_, _, size := s.Plane(field, c)
	return size
}

// facesOf returns the area of the faces of a full cell that count as interface.
func (s *Interface[F]) facesOf(field []F, c int) (area float64) {
	h := s.Sides()
	s.eachFace(field, c, func(axis, side int) {
		switch {
		case !s.Rings:
			area += float64(h[(axis+1)%3]) * float64(h[(axis+2)%3])
		case axis == 0:
			area += 2 * math.Pi * float64(h[0]*h[1]) * (float64(s.inner(c)) + float64(side))
		default:
			area += 2 * math.Pi * float64(h[0]*h[0]) * (float64(s.inner(c)) + .5)
		}
	})
	return area
}

// HasPlane reports whether the interface in the cell at index c is a line or plane.
func (s *Interface[F]) HasPlane(field []F, c int) bool {
	return !s.isSolid(c) && s.Mixed(float64(field[c])) && !kernels.HasFaces(field, c, s.stride(1), s.stride(2))
}

// eachFace calls a function for each face of a full cell that counts as interface: with 0 for the lower side of an axis
// and 1 for the upper one.
func (s *Interface[F]) eachFace(field []F, c int, visit func(axis, side int)) {
	if field[c] <= .5 || s.isSolid(c) {
		return
	}
	for axis := range s.Block.Grid.Dim {
		for side, beside := range [2]int{c - s.stride(axis), c + s.stride(axis)} {
			if kernels.IsFace(field[c], field[beside]) && !s.isSolid(beside) {
				visit(axis, side)
			}
		}
	}
}

func (s *Interface[F]) isSolid(c int) bool { return s.Solid != nil && s.Solid[c] }

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
