package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// BrickSide is the number of cells of a brick along each axis.
const BrickSide = 8

const (
	brickCells = BrickSide * BrickSide * BrickSide

	// The cells of a brick are searched for the interface in pieces, whose results are combined in groups.
	brickPieces, brickGroups = 256, 16
)

// Bricks cover a block with boxes of 8 cells along each axis, x fastest. Bricks far from the interface do not change
// and are skipped; the bits do not depend on the division.
//
//atoll:constant
type Bricks struct {
	Lo, N        [3]int32   // the block's first cell in the grid, and its number of cells
	Count        [3]int32   // bricks along each axis
	Adjoins      [3][2]bool // whether there are neighbouring blocks below and above, along each axis
	Reach        int32      // a brick is active if the interface is at most this number of bricks away
	HasInterface []int32    // not 0 for bricks that the interface crosses
	Active       []int32    // not 0 for active bricks, and for those with cells of other blocks within reach
}

// CountBricks returns the number of bricks along each axis that cover n cells.
func CountBricks(n [3]int) (count [3]int) {
	for d := range count {
		count[d] = (n[d] + BrickSide - 1) / BrickSide
	}
	return count
}

// corner returns the first cell of brick t, relative to the first cell of the block.
func (b *Bricks) corner(t int32) (x, y, z int32) {
	row := t / b.Count[0]
	return t % b.Count[0] * BrickSide, row % b.Count[1] * BrickSide, row / b.Count[1] * BrickSide
}

// cells returns the number of cells of a brick.
func (b *Bricks) cells() int32 {
	if b.Count[2] == 1 && b.N[2] == 1 {
		return BrickSide * BrickSide
	}
	return brickCells
}

// activeCells returns the number of cells of brick t to compute: none if it is not active.
func (b *Bricks) activeCells(t int) int32 {
	if b.Active[t] == 0 {
		return 0
	}
	return b.cells()
}

// contains reports whether a cell, relative to the first cell of the block, belongs to the block.
func (b *Bricks) contains(i, j, k int32) bool { return i < b.N[0] && j < b.N[1] && k < b.N[2] }

// MarkBrick determines whether brick t is active.
//
//atoll:kernel
func MarkBrick(t int, b *Bricks) {
	row := int32(t) / b.Count[0]
	x, y, z := int32(t)%b.Count[0], row%b.Count[1], row/b.Count[1]
	active := int32(0)
	if b.nearNeighbours(0, x) || b.nearNeighbours(1, y) || b.nearNeighbours(2, z) {
		active = 1
	}
	for k := num.Larger(z-b.Reach, 0); k < num.Smaller(z+b.Reach+1, b.Count[2]); k++ {
		for j := num.Larger(y-b.Reach, 0); j < num.Smaller(y+b.Reach+1, b.Count[1]); j++ {
			for i := num.Larger(x-b.Reach, 0); i < num.Smaller(x+b.Reach+1, b.Count[0]); i++ {
				active |= b.HasInterface[i+b.Count[0]*(j+b.Count[1]*k)]
			}
		}
	}
	b.Active[t] = active
}

// nearNeighbours reports whether cells of other blocks, which may contain the interface, are within reach of brick
// p along an axis. The last brick of a block may be incomplete.
func (b *Bricks) nearNeighbours(axis, p int32) bool {
	return b.Adjoins[axis][0] && p < b.Reach || b.Adjoins[axis][1] && p+b.Reach+1 >= b.Count[axis]
}

// combine returns a nonzero value if any of n pieces, stride apart, is nonzero.
func combine(pieces []int32, first, stride, n int32) int32 {
	result := int32(0)
	for k := range n {
		result |= pieces[first+k*stride]
	}
	return result
}
