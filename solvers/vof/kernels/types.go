// Package kernels has the kernels of volume of fluid with piecewise linear interfaces: initial volume fractions,
// reconstruction of planes, sweeps (over cells, tiles and bricks), lists of active tiles, and diagnostics. A suffix 2
// or 3 is the number of dimensions.
//
// A cell is mapped to the unit square or cube: the fluid in it is m·ξ ≤ α with ξ in [0, 1]^d, and m
// points out of the fluid, against the gradient of the volume fraction f by ξ. The normal in space is m_d/h_d,
// h_d the sides of the cell. m is zero for a cell whose interface has no direction, such as a droplet of one cell: the
// cell is then a uniform mixture, and α is its volume fraction.
//
// The functions use only + - × ÷ √ and comparisons, so that every processor gives the same bits.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

// Lattice locates cell (i, j, k) of a block in its arrays, ghosts included: at Origin + i + j·SY + k·SZ.
//
//atoll:constant
type Lattice struct{ Origin, SY, SZ int32 }

func (l *Lattice) at(i, j, k int) int { return int(l.Origin) + i + j*int(l.SY) + k*int(l.SZ) }
