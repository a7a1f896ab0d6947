// Package kernels is the geometry of piecewise linear interfaces on Cartesian cells, one cell at a time.
//
// A cell is seen as the unit square or cube, whatever its sides: the fluid in it is m·ξ ≤ α with ξ in [0, 1]^d, and m
// points out of the fluid, against the gradient of the volume fraction f by ξ. The normal in space is m_d/h_d,
// h_d the sides of the cell. A zero m stands for a cell without a direction, such as a droplet of one cell: it is taken
// as a uniform mixture, and α then holds its volume fraction.
//
// The functions are plain and use only + - × ÷ √ and comparisons, so that every processor gives the same bits.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen

import "math"

// Float is a precision that a run may have.
type Float interface{ float32 | float64 }

// Lattice says where cell (i, j, k) of a block lies in its arrays, ghosts included: at Origin + i + j·SY + k·SZ.
//
//atoll:constant
type Lattice struct{ Origin, SY, SZ int32 }

func (l *Lattice) at(i, j, k int) int { return int(l.Origin) + i + j*int(l.SY) + k*int(l.SZ) }

// Plane2 is the fluid m·ξ ≤ α in a cell of the plane.
type Plane2[F Float] struct {
	X, Y, Alpha F
	_           F
}

// Plane3 is the fluid m·ξ ≤ α in a cell of space.
type Plane3[F Float] struct{ X, Y, Z, Alpha F }

// faint is the sum of the components of m below which rounding and underflow leave no direction.
const faint = 1e-30

func sqrt[F Float](x F) F { return F(math.Sqrt(float64(x))) }

// abs and the two below branch: the builtins order NaN and -0 too, which costs more than all the rest here.
func abs[F Float](x F) F {
	if x < 0 {
		return -x
	}
	return x
}

func larger[F Float](a, b F) F {
	if a > b {
		return a
	}
	return b
}

func smaller[F Float](a, b F) F {
	if a < b {
		return a
	}
	return b
}
