// Package levels has the kernels of a multigrid solver for Σ a_f (x_i - x_j) = b_i over the faces f between a cell i
// and its neighbours j, with coefficients a_f ≥ 0 that may jump from face to face.
//
// All of them compute a cell from its neighbours in an order that depends only on the grid, and use only + - × ÷ √ and
// comparisons, so that the bits depend neither on the division into blocks nor on the processor.
package levels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Lattice locates cell (i, j, k) of a block in its arrays, ghosts included, at First + i + j·SY + k·SZ.
//
//atoll:constant
type Lattice struct{ First, SY, SZ int32 }

func (l *Lattice) at(i, j, k int) int { return int(l.First) + i + j*int(l.SY) + k*int(l.SZ) }

// stride returns the distance of neighbours along an axis.
func (l *Lattice) stride(axis int32) int {
	if axis == 1 {
		return int(l.SY)
	}
	if axis == 2 {
		return int(l.SZ)
	}
	return 1
}

// Level is the matrix on a level. The coefficient of a face has the index of the cell above it; beyond a side it is 0,
// or, for a value of 0 at the side, that of the half cell.
//
//atoll:constant
type Level[F num.Float] struct {
	Lattice
	Space      bool // three dimensions
	AX, AY, AZ []F  // of the lower faces of each cell
	Inverse    []F  // of the diagonal
}

// row is row c of the matrix times x, from differences, so that it is exactly 0 for constants.
func (l *Level[F]) row(x []F, c int) F {
	sy := int(l.SY)
	own := x[c]
	v := l.AX[c]*(own-x[c-1]) + l.AX[c+1]*(own-x[c+1])
	v += l.AY[c]*(own-x[c-sy]) + l.AY[c+sy]*(own-x[c+sy])
	if l.Space {
		sz := int(l.SZ)
		v += l.AZ[c]*(own-x[c-sz]) + l.AZ[c+sz]*(own-x[c+sz])
	}
	return v
}

// Invert computes the inverse of the diagonal, 0 for a cell without neighbours.
//
//atoll:kernel lanes
func Invert[F num.Float](i, j, k int, l *Level[F]) {
	c := l.at(i, j, k)
	sum := l.AX[c] + l.AX[c+1] + (l.AY[c] + l.AY[c+int(l.SY)])
	if l.Space {
		sum += l.AZ[c] + l.AZ[c+int(l.SZ)]
	}
	inverse := F(0)
	if sum > 0 {
		inverse = 1 / sum
	}
	l.Inverse[c] = inverse
}

// Start is the first step of Chebyshev iterations from x = 0: a step of Jacobi's method of the given length.
//
//atoll:kernel lanes
func Start[F num.Float](i, j, k int, l *Level[F], length F, b, t, out []F) {
	c := l.at(i, j, k)
	step := length * (l.Inverse[c] * b[c])
	t[c] = step
	out[c] = step
}

// Smooth is a step of Chebyshev iterations from x to out: t is the step before, of which it keeps a part.
//
//atoll:kernel lanes
func Smooth[F num.Float](i, j, k int, l *Level[F], kept, length F, b, x, t, out []F) {
	c := l.at(i, j, k)
	step := kept*t[c] + length*(l.Inverse[c]*(b[c]-l.row(x, c)))
	t[c] = step
	out[c] = x[c] + step
}

// Residual computes b - A x, and returns its magnitude.
//
//atoll:kernel lanes max
func Residual[F num.Float](i, j, k int, l *Level[F], b, x, r []F) F {
	c := l.at(i, j, k)
	v := b[c] - l.row(x, c)
	r[c] = v
	return num.Abs(v)
}

// Apply computes A x, and returns the magnitude of a cell's part of the product of x and A x.
//
//atoll:kernel lanes max
func Apply[F num.Float](i, j, k int, l *Level[F], x, out []F) F {
	c := l.at(i, j, k)
	v := l.row(x, c)
	out[c] = v
	return num.Abs(x[c] * v)
}

// Wrap copies cells to the ghosts that stand for them across periodic sides.
//
//atoll:kernel block=256
func Wrap[F num.Float](i int, from, to []int32, x []F) { x[to[i]] = x[from[i]] }

// Zero clears an array.
//
//atoll:kernel
func Zero[F num.Float](i int, x []F) { x[i] = 0 }

// Blocks are a block of a grid and the whole grid, whose cell (i, j, k) is that of the block moved by Lo.
//
//atoll:constant
type Blocks struct {
	Part, Whole Lattice
	Lo          [3]int32
}

func (b *Blocks) inWhole(i, j, k int) int {
	return b.Whole.at(i+int(b.Lo[0]), j+int(b.Lo[1]), k+int(b.Lo[2]))
}

// Assemble writes a block's part of an array of the whole grid. The sum makes -0 a 0, as it is when parts are added.
//
//atoll:kernel
func Assemble[F num.Float](i, j, k int, b *Blocks, part, whole []F) {
	whole[b.inWhole(i, j, k)] = part[b.Part.at(i, j, k)] + 0
}

// Disassemble reads a block's part of an array of the whole grid.
//
//atoll:kernel
func Disassemble[F num.Float](i, j, k int, b *Blocks, whole, part []F) {
	part[b.Part.at(i, j, k)] = whole[b.inWhole(i, j, k)]
}
