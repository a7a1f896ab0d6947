package grid

import (
	"fmt"
	"iter"
)

// Block is a rank's box of owned cells, surrounded by layers of ghost cells; in 2D there are no ghosts along z. An
// array of a block has an element for each of its cells, ghosts included, x fastest.
type Block struct {
	Grid  *Grid
	Lo, N [3]int // global index of the first owned cell, and number of owned cells, along each axis
	Ghost int    // number of ghost layers
}

// Block returns the block of n[a] cells from index lo[a] along each axis a. It returns an error if the block is empty,
// reaches beyond the grid, has a negative number of ghost layers, or more cells than maxTotalCells.
func (g *Grid) Block(lo, n [3]int, ghost int) (*Block, error) {
	if ghost < 0 || ghost > MaxCells {
		return nil, fmt.Errorf("grid: %d ghost layers: want 0 to %d", ghost, MaxCells)
	}
	for a := range 3 {
		if lo[a] < 0 || n[a] < 1 || n[a] > g.N[a]-lo[a] {
			return nil, fmt.Errorf("grid: a block of %d cells from cell %d along %s: want cells from 0 to %d",
				n[a], lo[a], axes[a], g.N[a]-1)
		}
	}
	b := &Block{Grid: g, Lo: lo, N: n, Ghost: ghost}
	nx, ny, nz := b.Shape()
	if nx > maxTotalCells/ny || nx*ny > maxTotalCells/nz {
		return nil, fmt.Errorf("grid: a block of %d×%d×%d cells is too large", nx, ny, nz)
	}
	return b, nil
}

// Whole returns the block of all cells.
func (g *Grid) Whole(ghost int) (*Block, error) { return g.Block([3]int{}, g.N, ghost) }

// GhostAlong returns the number of ghost layers on each side along an axis.
func (b *Block) GhostAlong(axis int) int {
	if axis >= b.Grid.Dim {
		return 0
	}
	return b.Ghost
}

// Shape returns the number of cells of an array along each axis, ghosts included.
func (b *Block) Shape() (nx, ny, nz int) {
	return b.N[0] + 2*b.GhostAlong(0), b.N[1] + 2*b.GhostAlong(1), b.N[2] + 2*b.GhostAlong(2)
}

// Len returns the length of an array, ghosts included.
func (b *Block) Len() int {
	nx, ny, nz := b.Shape()
	return nx * ny * nz
}

// Cells returns the number of owned cells.
func (b *Block) Cells() int { return b.N[0] * b.N[1] * b.N[2] }

// Has reports whether the block owns a cell of the grid.
func (b *Block) Has(cell [3]int) bool {
	for a, i := range cell {
		if i < b.Lo[a] || i >= b.Lo[a]+b.N[a] {
			return false
		}
	}
	return true
}

// Strides returns the distance in an array between neighbours along each axis.
func (b *Block) Strides() (sx, sy, sz int) {
	nx, ny, _ := b.Shape()
	return 1, nx, nx * ny
}

// Index returns the index in an array of the cell (i, j, k), which is counted from the first owned cell: ghosts have
// i < 0 or i ≥ N[0], and so on.
func (b *Block) Index(i, j, k int) int {
	nx, ny, _ := b.Shape()
	return i + b.GhostAlong(0) + nx*(j+b.GhostAlong(1)+ny*(k+b.GhostAlong(2)))
}

// Cell is the inverse of Index.
func (b *Block) Cell(index int) (i, j, k int) {
	nx, ny, _ := b.Shape()
	i, index = index%nx, index/nx
	return i - b.GhostAlong(0), index%ny - b.GhostAlong(1), index/ny - b.GhostAlong(2)
}

// Global returns the global index of the cell (i, j, k), modulo the number of cells along periodic axes. inside is
// false for a ghost outside the grid.
func (b *Block) Global(i, j, k int) (gi, gj, gk int, inside bool) {
	gi, x := b.Grid.Wrap(0, b.Lo[0]+i)
	gj, y := b.Grid.Wrap(1, b.Lo[1]+j)
	gk, z := b.Grid.Wrap(2, b.Lo[2]+k)
	return gi, gj, gk, x && y && z
}

// Faces returns the number of faces across an axis that the block owns, along each axis: the lower faces of its cells,
// and at the upper end of an axis that is not periodic the upper ones of the last cells.
func (b *Block) Faces(axis int) [3]int {
	n := b.N
	if !b.HasNeighbours(axis)[1] {
		n[axis]++
	}
	return n
}

// FaceNumber returns the number, among all faces of the grid across an axis, of the n-th face that the block owns; x
// is fastest in both.
func (b *Block) FaceNumber(axis, n int) int64 {
	own, all := b.Faces(axis), b.Grid.N
	if !b.Grid.Periodic[axis] {
		all[axis]++
	}
	i, j, k := n%own[0], n/own[0]%own[1], n/own[0]/own[1]
	return int64(b.Lo[0]+i) + int64(all[0])*(int64(b.Lo[1]+j)+int64(all[1])*int64(b.Lo[2]+k))
}

// OwnedIndices iterates over the owned cells, x fastest, and yields the index of each in an array.
func (b *Block) OwnedIndices() iter.Seq[int] {
	return func(yield func(index int) bool) {
		for k := range b.N[2] {
			for j := range b.N[1] {
				first := b.Index(0, j, k)
				for i := range b.N[0] {
					if !yield(first + i) {
						return
					}
				}
			}
		}
	}
}

// Number returns the number, among all cells of the grid, of the n-th owned cell; x is fastest in both.
func (b *Block) Number(n int) int64 {
	i, j, k := n%b.N[0], n/b.N[0]%b.N[1], n/b.N[0]/b.N[1]
	return int64(b.Lo[0]+i) + int64(b.Grid.N[0])*(int64(b.Lo[1]+j)+int64(b.Grid.N[1])*int64(b.Lo[2]+k))
}

// Centre returns the centre of the cell (i, j, k): the same bits on any rank. Outside the grid positions continue with
// the same spacing, also along periodic axes.
func (b *Block) Centre(i, j, k int) (x, y, z float64) {
	return b.Grid.Centre(0, b.Lo[0]+i), b.Grid.Centre(1, b.Lo[1]+j), b.Grid.Centre(2, b.Lo[2]+k)
}

// Face returns the centre of the lower face, normal to an axis, of the cell (i, j, k).
func (b *Block) Face(axis, i, j, k int) (x, y, z float64) {
	p := [3]float64{}
	p[0], p[1], p[2] = b.Centre(i, j, k)
	p[axis] = b.Grid.Face(axis, b.Lo[axis]+[3]int{i, j, k}[axis])
	return p[0], p[1], p[2]
}

// Vertex returns the lower corner, along all axes, of the cell (i, j, k).
func (b *Block) Vertex(i, j, k int) (x, y, z float64) {
	return b.Grid.Face(0, b.Lo[0]+i), b.Grid.Face(1, b.Lo[1]+j), b.Grid.Face(2, b.Lo[2]+k)
}

// CopyOwned copies the owned cells of src, an array of the block, to dst[:b.Cells()], in the order of the array,
// and returns that slice. It allocates dst if it is too short.
func CopyOwned[T any](b *Block, dst, src []T) []T {
	if len(src) != b.Len() {
		panic("grid: the length of the array is not that of the block, ghosts included")
	}
	if cap(dst) < b.Cells() {
		dst = make([]T, b.Cells())
	}
	dst = dst[:b.Cells()]
	copied := 0
	for k := range b.N[2] {
		for j := range b.N[1] {
			first := b.Index(0, j, k)
			copied += copy(dst[copied:], src[first:first+b.N[0]])
		}
	}
	return dst
}

// SetOwned copies src, the owned cells of a block as CopyOwned returns them, into dst, an array of the block.
// Ghosts keep their values.
func SetOwned[T any](b *Block, dst, src []T) {
	if len(dst) != b.Len() || len(src) != b.Cells() {
		panic("grid: the lengths of the arrays are not those of the block with and without ghosts")
	}
	for k := range b.N[2] {
		for j := range b.N[1] {
			first := b.Index(0, j, k)
			src = src[copy(dst[first:first+b.N[0]], src):]
		}
	}
}
