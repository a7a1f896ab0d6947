// Package kernels has the kernels of the particle level set. Each computes one cell or one particle.
//
// The level set φ is a signed distance, negative inside, at the centres of cells. Positions are counted in cells of the
// whole grid: the centre of cell (i, j, k) is at (i, j, k), and the dual cell of that number lies between it and the
// next centres. Indices of cells are global, so that all bits are the same whichever block a cell is in. In the plane
// k and z are 0.
//
// Kernels use only + - × ÷ √ and comparisons of floating-point numbers, so that every processor gives the same
// bits.
package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

// Lattice locates cell (i, j, k) of the grid in the arrays of a block: at Base + i + j·SY + k·SZ. In the plane SZ is
// 0.
//
//atoll:constant
type Lattice[F num.Float] struct {
	Base, SY, SZ int
	Dim          int32
	H            [3]F // sides of a cell; 1 along z in the plane
	Squares      [3]F // 1/H²
	MinSide      F    // the shortest side of a cell
}

func (l *Lattice[F]) index(i, j, k int) int { return l.Base + i + j*l.SY + k*l.SZ }

// interpolate interpolates f in the dual cell whose lowest corner is at index c, at the fractions x, y, z of its sides.
func (l *Lattice[F]) interpolate(f []F, c int, x, y, z F) F {
	if l.Dim == 2 {
		return bilinear(f, c, l.SY, x, y)
	}
	return trilinear(f, c, l.SY, l.SZ, x, y, z)
}

func bilinear[F num.Float](f []F, c, sy int, x, y F) F {
	a, b := f[c:c+2], f[c+sy:c+sy+2]
	return lerp(lerp(a[0], a[1], x), lerp(b[0], b[1], x), y)
}

func trilinear[F num.Float](f []F, c, sy, sz int, x, y, z F) F {
	a, b := f[c:c+2], f[c+sy:c+sy+2]
	d, e := f[c+sz:c+sz+2], f[c+sz+sy:c+sz+sy+2]
	return lerp(lerp(lerp(a[0], a[1], x), lerp(b[0], b[1], x), y), lerp(lerp(d[0], d[1], x), lerp(e[0], e[1], x), y), z)
}

func lerp[F num.Float](a, b, fraction F) F { return a + (b-a)*fraction }

// splitCoordinate returns the largest integer not above x, and the fractional part.
func splitCoordinate[F num.Float](x F) (whole int, fraction F) {
	whole = int(x)
	if F(whole) > x {
		whole--
	}
	return whole, x - F(whole)
}

// Clock holds the time-dependent factors of a step, per side of a cell, by axis: times a velocity they are
// displacements in units of cells.
type Clock[F num.Float] struct {
	Half  [3]F    // half a step at the velocity of its start
	Back  [3]F    // half a step at the velocity of its end
	Whole [3]F    // a step at the velocity of its middle
	Stage [3][3]F // a step at the velocities of the stages of RK3: its start, end and middle
}
