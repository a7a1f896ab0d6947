// Package geom is the geometry of lines and planes that cut a cell, for kernels and for the host.
//
// A cell is mapped to the unit square or cube: the part cut off by a plane is m·ξ ≤ α with ξ in [0, 1]^d,
// and m points out of it. The normal in space is m_d/h_d, h_d the sides of the cell. m is zero for a cell whose
// interface has no direction: the cell is then a uniform mixture, and α is its volume fraction.
//
// The functions use only + - × ÷ √ and comparisons, so that every processor gives the same bits.
package geom

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Line is the half-plane m·ξ ≤ α of a cell in the plane.
type Line[F num.Float] struct {
	X, Y, Alpha F
	_           F // padding to four numbers, which a GPU loads with one instruction
}

// Plane is the half-space m·ξ ≤ α of a cell in space.
type Plane[F num.Float] struct{ X, Y, Z, Alpha F }

// Faint is the sum of |m_d| below which m is taken as zero: rounding and underflow leave no direction.
const Faint = 1e-30
