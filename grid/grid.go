// Package grid holds uniform grids of boxes in two and three dimensions: their geometry, the blocks of them that
// ranks own, and the cells, edges and vertices of a block of the plane with the operators between them.
package grid

import (
	"fmt"
	"math"
)

// MaxCells bounds the cells of a grid along an axis: an index of a cell or a face fits 32 bits.
const MaxCells = math.MaxInt32 - 1

// mostCells bounds the cells of a grid, and those of a block with its ghosts.
const mostCells = 1 << 50

// Grid is a uniform grid of a box, in 2D (N[2] == 1, Dim == 2) or 3D. In 2D it lies in the plane z = Lo[2] == Hi[2].
type Grid struct {
	Dim      int
	N        [3]int     // cells along each axis
	Lo, Hi   [3]float64 // opposite corners of the box
	Periodic [3]bool    // whether the last cell along an axis is next to the first
}

var axes = [3]string{"x", "y", "z"}

// New makes a grid. It refuses a dimension other than 2 and 3, an axis without cells or with more than MaxCells, more
// cells in all than memory has addresses for, and bounds that are not finite, not in order, or so close together that
// neighbouring cells have the same position. In 2D n[2] must be 1, lo[2] equal to hi[2] and the axis z not periodic.
func New(dim int, n [3]int, lo, hi [3]float64, periodic [3]bool) (*Grid, error) {
	if dim != 2 && dim != 3 {
		return nil, fmt.Errorf("grid: %d dimensions: give 2 or 3", dim)
	}
	g := &Grid{Dim: dim, N: n, Lo: lo, Hi: hi, Periodic: periodic}
	room := mostCells
	for a := range dim {
		if n[a] < 1 || n[a] > MaxCells {
			return nil, fmt.Errorf("grid: %d cells along %s: give 1 to %d", n[a], axes[a], MaxCells)
		}
		if room /= n[a]; room == 0 {
			return nil, fmt.Errorf("grid: %d×%d×%d cells: give at most %d in all", n[0], n[1], n[2], mostCells)
		}
		size := hi[a] - lo[a]
		if !(size > 0 && size < math.Inf(1)) {
			return nil, fmt.Errorf("grid: bounds from %g to %g along %s: give finite ones in ascending order",
				lo[a], hi[a], axes[a])
		}
		if far := math.Max(math.Abs(lo[a]), math.Abs(hi[a])); g.Spacing(a)/2 < math.Nextafter(far, math.Inf(1))-far {
			return nil, fmt.Errorf("grid: %d cells between %g and %g along %s are too narrow to tell their positions apart",
				n[a], lo[a], hi[a], axes[a])
		}
	}
	if dim == 2 && (n[2] != 1 || lo[2] != hi[2] || lo[2]-lo[2] != 0 || periodic[2]) {
		return nil, fmt.Errorf("grid: in 2 dimensions the axis z has 1 cell, no extent and no period, not %d cells "+
			"from %g to %g, periodic: %t", n[2], lo[2], hi[2], periodic[2])
	}
	return g, nil
}

// Spacing is the side of a cell along an axis; 0 along z in 2D.
func (g *Grid) Spacing(axis int) float64 { return (g.Hi[axis] - g.Lo[axis]) / float64(g.N[axis]) }

// CellVolume is the volume of a cell, its area in 2D.
func (g *Grid) CellVolume() float64 {
	v := g.Spacing(0) * g.Spacing(1)
	if g.Dim == 3 {
		v *= g.Spacing(2)
	}
	return v
}

// Cells is the number of cells of the whole grid.
func (g *Grid) Cells() int { return g.N[0] * g.N[1] * g.N[2] }

// Centre is the position along an axis of the centre of the cells with that index; indices beyond the grid go on
// evenly. The same index gives the same bits everywhere.
func (g *Grid) Centre(axis, i int) float64 { return g.at(axis, float64(i)+0.5) }

// Face is the position along an axis of the lower face of the cells with that index.
func (g *Grid) Face(axis, i int) float64 { return g.at(axis, float64(i)) }

// at rounds the product on its own: where the machine can fuse it with the sum, it must not.
func (g *Grid) at(axis int, i float64) float64 { return g.Lo[axis] + float64(i*g.Spacing(axis)) }

// Wrap brings the index of a cell along a periodic axis into the grid. Along another axis it returns i as it is;
// inside tells whether the cell is in the grid.
func (g *Grid) Wrap(axis, i int) (wrapped int, inside bool) {
	n := g.N[axis]
	if g.Periodic[axis] {
		if i %= n; i < 0 {
			i += n
		}
	}
	return i, i >= 0 && i < n
}
