// Package grid has uniform grids in two and three dimensions. A Grid has the geometry, and a Block is the box of cells
// that a rank owns with its ghosts.
package grid

import (
	"fmt"
	"math"
)

// MaxCells is the largest number of cells along an axis: indices of cells and faces fit into 32 bits.
const MaxCells = math.MaxInt32 - 1

// maxTotalCells is the largest number of cells of a grid, and of a block with its ghosts: the size in bytes of the
// arrays of all fields fits into 64 bits.
const maxTotalCells = 1 << 50

// Grid is a uniform grid of a box, in 2D (N[2] == 1, Dim == 2) or 3D. In 2D it lies in the plane z = Lo[2] == Hi[2].
type Grid struct {
	Dim      int
	N        [3]int     // number of cells along each axis
	Lo, Hi   [3]float64 // lower and upper corner of the box
	Periodic [3]bool    // [axis]: the last cell is next to the first
}

var axes = [3]string{"x", "y", "z"}

// New returns a grid. It returns an error if dim is not 2 or 3, if an axis has no cells or more than MaxCells, if there
// are more than maxTotalCells cells, or if bounds are not finite, not ascending, or so close together that neighbouring
// cells would have the same position. In 2D n[2] must be 1, lo[2] equal to hi[2], and the axis z not periodic.
func New(dim int, n [3]int, lo, hi [3]float64, periodic [3]bool) (*Grid, error) {
	if dim != 2 && dim != 3 {
		return nil, fmt.Errorf("grid: %d dimensions: want 2 or 3", dim)
	}
	g := &Grid{Dim: dim, N: n, Lo: lo, Hi: hi, Periodic: periodic}
	limit := maxTotalCells // for the product of the numbers of cells along the remaining axes
	for a := range dim {
		if n[a] < 1 || n[a] > MaxCells {
			return nil, fmt.Errorf("grid: %d cells along %s: want 1 to %d", n[a], axes[a], MaxCells)
		}
		if limit /= n[a]; limit == 0 {
			return nil, fmt.Errorf("grid: %d×%d×%d cells: want at most %d in total", n[0], n[1], n[2], maxTotalCells)
		}
		size := hi[a] - lo[a]
		if !(size > 0 && size < math.Inf(1)) {
			return nil, fmt.Errorf("grid: bounds from %g to %g along %s: want finite bounds in ascending order",
				lo[a], hi[a], axes[a])
		}
		largest := math.Max(math.Abs(lo[a]), math.Abs(hi[a]))
		if g.Spacing(a)/2 < math.Nextafter(largest, math.Inf(1))-largest {
			return nil, fmt.Errorf("grid: %d cells between %g and %g along %s are too narrow: their positions would be "+
				"equal after rounding", n[a], lo[a], hi[a], axes[a])
		}
	}
	// lo[2]-lo[2] is NaN if lo[2] is not finite.
	if dim == 2 && (n[2] != 1 || lo[2] != hi[2] || lo[2]-lo[2] != 0 || periodic[2]) {
		return nil, fmt.Errorf("grid: the axis z has %d cells from %g to %g, periodic: %t; in 2 dimensions want 1 cell, "+
			"no extent and no period", n[2], lo[2], hi[2], periodic[2])
	}
	return g, nil
}

// Spacing returns the length of a cell along an axis; 0 along z in 2D.
func (g *Grid) Spacing(axis int) float64 { return (g.Hi[axis] - g.Lo[axis]) / float64(g.N[axis]) }

// CellVolume returns the volume of a cell, its area in 2D.
func (g *Grid) CellVolume() float64 {
	v := g.Spacing(0) * g.Spacing(1)
	if g.Dim == 3 {
		v *= g.Spacing(2)
	}
	return v
}

// Cells returns the number of cells of the grid.
func (g *Grid) Cells() int { return g.N[0] * g.N[1] * g.N[2] }

// Centre returns the position along an axis of the centres of the cells with index i, which may be outside the grid.
// The same index gives the same bits on any rank.
func (g *Grid) Centre(axis, i int) float64 { return g.position(axis, float64(i)+0.5) }

// Face returns the position along an axis of the lower faces of the cells with index i.
func (g *Grid) Face(axis, i int) float64 { return g.position(axis, float64(i)) }

// position returns the position along an axis of the fractional index i. The conversion to float64 keeps the compiler
// from fusing the product and the sum.
func (g *Grid) position(axis int, i float64) float64 { return g.Lo[axis] + float64(i*g.Spacing(axis)) }

// Wrap returns the index i of a cell modulo the number of cells along a periodic axis, and i itself along other axes.
// inside reports whether the cell is in the grid.
func (g *Grid) Wrap(axis, i int) (wrapped int, inside bool) {
	n := g.N[axis]
	if g.Periodic[axis] {
		if i %= n; i < 0 {
			i += n
		}
	}
	return i, i >= 0 && i < n
}
