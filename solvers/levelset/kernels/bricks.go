package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// BrickSide is how many cells a brick has along each axis.
const BrickSide = 8

const (
	brickCells = BrickSide * BrickSide * BrickSide

	brickPieces, brickGroups = 256, 16 // of a brick, searched for interfaces separately
)

// Bricks cover a block with boxes of 8 cells along each axis, x fastest. Bricks far from the interface do not change
// and are skipped; the bits do not depend on the division.
//
//atoll:constant
type Bricks struct {
	Lo, N   [3]int32 // of the block's cells: the first one's number in the grid, and how many there are
	Count   [3]int32 // bricks along each axis
	Open    [3][2]bool
	Reach   int32   // how many bricks away the interface matters
	Crossed []int32 // of bricks: not 0 where the interface is
	Busy    []int32 // not 0 where it is within reach, or might be on another block
}

// CountBricks returns the number of bricks along each axis that cover n cells.
func CountBricks(n [3]int) (count [3]int) {
	for d := range count {
		count[d] = (n[d] + BrickSide - 1) / BrickSide
	}
	return count
}

// corner returns the first cell of brick t, relative to the block's.
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

// work returns the number of cells of brick t to process: none if it is not busy.
func (b *Bricks) work(t int) int32 {
	if b.Busy[t] == 0 {
		return 0
	}
	return b.cells()
}

// has reports whether a cell belongs to the block.
func (b *Bricks) has(i, j, k int32) bool { return i < b.N[0] && j < b.N[1] && k < b.N[2] }

// MarkBrick determines whether brick t is busy.
//
//atoll:kernel
func MarkBrick(t int, b *Bricks) {
	row := int32(t) / b.Count[0]
	x, y, z := int32(t)%b.Count[0], row%b.Count[1], row/b.Count[1]
	busy := int32(0)
	if b.beyond(0, x) || b.beyond(1, y) || b.beyond(2, z) {
		busy = 1
	}
	for k := num.Larger(z-b.Reach, 0); k < num.Smaller(z+b.Reach+1, b.Count[2]); k++ {
		for j := num.Larger(y-b.Reach, 0); j < num.Smaller(y+b.Reach+1, b.Count[1]); j++ {
			for i := num.Larger(x-b.Reach, 0); i < num.Smaller(x+b.Reach+1, b.Count[0]); i++ {
				busy |= b.Crossed[i+b.Count[0]*(j+b.Count[1]*k)]
			}
		}
	}
	b.Busy[t] = busy
}

// beyond reports whether cells of other blocks, which may contain the interface, are within reach of brick p along an
// axis. The last brick of a block may be incomplete.
func (b *Bricks) beyond(axis, p int32) bool {
	return b.Open[axis][0] && p < b.Reach || b.Open[axis][1] && p+b.Reach+1 >= b.Count[axis]
}

// combine returns a nonzero value if any of n pieces, stride apart, is nonzero.
func combine(pieces []int32, first, stride, n int32) int32 {
	all := int32(0)
	for k := range n {
		all |= pieces[first+k*stride]
	}
	return all
}
