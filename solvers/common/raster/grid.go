// Package raster reads rasters of elevations, depths and coefficients in the ESRI ASCII grid format, and
// interpolates in them.
package raster

import (
	"fmt"
	"math"
)

// Grid is a raster with a value at the centre of each of its cells.
type Grid struct {
	Columns, Rows int
	West, South   float64 // outer edges, in the units of the coordinates
	Width, Height float64 // of a cell
	name          string
	values        []float64 // from the north-west corner, row by row; NaN where there are no data
}

// At interpolates bilinearly between the centres of cells. From the outermost centres to the edge of the grid,
// half a cell, the value stays as it is at the centres. A point outside the grid is an error, and so is one whose
// value would need a cell without data.
func (g *Grid) At(x, y float64) (float64, error) {
	column, right := g.between((x-g.West)/g.Width, g.Columns)
	row, up := g.between((y-g.South)/g.Height, g.Rows)
	if column < 0 || row < 0 {
		return 0, fmt.Errorf("%s: point (%g, %g) is outside the raster, which covers x from %g to %g and y from %g to %g",
			g.name, x, y, g.West, g.West+float64(g.Columns)*g.Width, g.South, g.South+float64(g.Rows)*g.Height)
	}
	v := g.along(column, row, right)
	if up > 0 {
		v += up * (g.along(column, row+1, right) - v)
	}
	if v != v {
		return 0, fmt.Errorf("%s: the raster has no data at point (%g, %g), or at a cell next to it", g.name, x, y)
	}
	return v, nil
}

// between turns a position, in cells from the edge, into a cell and the share of the way from its centre to the next.
// The cell is -1 if the position is outside.
func (g *Grid) between(position float64, cells int) (cell int, share float64) {
	if !(position >= 0 && position <= float64(cells)) {
		return -1, 0
	}
	centre := min(max(position-0.5, 0), float64(cells-1))
	whole := math.Floor(centre)
	return int(whole), centre - whole
}

// along interpolates in a row, which counts from the south. Cells of no weight do not matter, so they may lack data.
func (g *Grid) along(column, row int, share float64) float64 {
	i := (g.Rows-1-row)*g.Columns + column
	v := g.values[i]
	if share > 0 {
		v += share * (g.values[i+1] - v)
	}
	return v
}
