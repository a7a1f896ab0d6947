// Package kernels is the geometry of piecewise linear interfaces on Cartesian cells, one cell at a time.
//
// A cell is mapped to the unit square or cube: the fluid in it is m·ξ ≤ α with ξ in [0, 1]^d, and m
// points out of the fluid, against the gradient of the volume fraction f by ξ. The normal in space is m_d/h_d,
// h_d the sides of the cell. A zero m stands for a cell without a direction, such as a droplet of one cell: it is taken
// as a uniform mixture, and α then holds its volume fraction.
//
// The functions are plain and use only + - × ÷ √ and comparisons, so that every processor gives the same bits.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

// Lattice locates cell (i, j, k) of a block in its arrays, ghosts included: at Origin + i + j·SY + k·SZ.
//
//atoll:constant
type Lattice struct{ Origin, SY, SZ int32 }

func (l *Lattice) at(i, j, k int) int { return int(l.Origin) + i + j*int(l.SY) + k*int(l.SZ) }
