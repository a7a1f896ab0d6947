// Package raster reads rasters of elevations, depths and coefficients and interpolates in them. Open reads ESRI ASCII
// grids, GeoTIFF, NetCDF (classic formats, CF conventions) and XYZ points of a regular grid as a Grid, of which it
// loads only the rows and columns that are needed (its window); a Stack combines several rasters.
package raster

import (
	"fmt"
	"math"
)

// Grid is a raster with a value at the centre of each cell. Only the cells of its window are loaded.
type Grid struct {
	Columns, Rows int
	West, South   float64 // outer edges, in the units of the coordinates
	Width, Height float64 // of a cell
	EPSG          int     // code of the coordinate reference system; 0 if the file does not contain it
	name          string
	declared      declared
	scale         float64 // by which values are multiplied
	again         bool    // it is part of a raster that is in the stack already, a circle to the east or the west
	hasMarkers    bool    // whether values of the window may mark missing ones: see missing.IsMarker

	window window
	// The values of the window, row by row from the north-west corner; NaN where there is no data. Those of a GeoTIFF in
	// single precision are in values32, and values is nil.
	values   []float64
	values32 []float32
}

// window is a range of columns and rows of a raster; rows are counted from the north.
type window struct{ column, row, columns, rows int }

// Box bounds the positions at which values of a raster are needed.
type Box struct{ West, South, East, North float64 }

// Everywhere is the box of all points.
var Everywhere = Box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}

// Missing is the error that a raster has no value at a point.
type Missing struct{ text string }

func (e *Missing) Error() string { return e.text }

// At interpolates bilinearly between the centres of cells. Between the outermost centres and the edge of the grid the
// value is constant along the normal. Points outside the grid, and points whose value needs a cell without data, give
// the error Missing.
func (g *Grid) At(x, y float64) (float64, error) {
	column, right := g.cellAt((x-g.West)/g.Width, g.Columns)
	row, up := g.cellAt((y-g.South)/g.Height, g.Rows)
	if column < 0 || row < 0 {
		return 0, &Missing{fmt.Sprintf("%s: point (%g, %g) is outside the raster, which covers %s", g.name, x, y, g.Extent())}
	}
	v := g.interpolateRow(column, row, right)
	if up > 0 {
		v += up * (g.interpolateRow(column, row+1, right) - v)
	}
	if v *= g.scale; v-v != 0 {
		return 0, &Missing{fmt.Sprintf("%s: the raster has no data at point (%g, %g), or at a cell next to it", g.name, x, y)}
	}
	return v, nil
}

func newGrid(name string) *Grid { return &Grid{name: name, scale: 1} }

// Extent says what the raster covers, as in "x from 0 to 1 and y from 0 to 1".
func (g *Grid) Extent() string {
	return fmt.Sprintf("x from %g to %g and y from %g to %g", g.West, g.West+float64(g.Columns)*g.Width, g.South,
		g.South+float64(g.Rows)*g.Height)
}

// cellAt converts a position, in cells from the edge, to a cell and the fraction of the way from its centre to that of
// the next cell. The cell is -1 if the position is outside.
func (g *Grid) cellAt(position float64, cells int) (cell int, fraction float64) {
	if !(position >= 0 && position <= float64(cells)) {
		return -1, 0
	}
	centre := min(max(position-0.5, 0), float64(cells-1))
	whole := math.Floor(centre)
	return int(whole), centre - whole
}

// interpolateRow interpolates between the centres of two cells of a row, which is counted from the south. A cell with
// weight 0 is not read: it may lack data.
func (g *Grid) interpolateRow(column, row int, fraction float64) float64 {
	v := g.value(column, row)
	if fraction > 0 {
		v += fraction * (g.value(column+1, row) - v)
	}
	return v
}

// value returns the value of a cell; NaN outside the window.
func (g *Grid) value(column, row int) float64 {
	w := &g.window
	column, row = column-w.column, g.Rows-1-row-w.row
	if column < 0 || row < 0 || column >= w.columns || row >= w.rows {
		return math.NaN()
	}
	i := row*w.columns + column
	if g.values32 != nil {
		return float64(g.values32[i])
	}
	return g.values[i]
}

// Record returns the raster of the k-th of the times that were read.
func (g *Grid) Record(k int) *Grid {
	one, cells := *g, g.window.columns*g.window.rows
	if g.values != nil {
		one.values = g.values[k*cells : (k+1)*cells]
	}
	return &one
}

// Value returns the value of a cell, whose row is counted from the south, in the wanted unit: see Stack.Convert. It is
// NaN where there is none, and outside of what was loaded.
func (g *Grid) Value(column, row int) float64 { return g.value(column, row) * g.scale }

// Unit returns the unit of the values that the file declares, and that of its coordinates; "" for none.
func (g *Grid) Unit() (values, coordinates string) { return g.declared.unit, g.declared.coordinateUnit }

// setWindow sets the window to the cells that are needed for points in a box.
func (g *Grid) setWindow(b Box) {
	span := func(lo, hi, from, size float64, cells int) (first, count int) {
		firstCell := math.Floor((lo-from)/size - .5)
		lastCell := math.Floor((hi-from)/size-.5) + 1
		firstCell, lastCell = min(max(firstCell, 0), float64(cells)), min(max(lastCell, -1), float64(cells-1))
		return int(firstCell), max(0, int(lastCell)-int(firstCell)+1)
	}
	w := &g.window
	w.column, w.columns = span(b.West, b.East, g.West, g.Width, g.Columns)
	south := 0
	south, w.rows = span(b.South, b.North, g.South, g.Height, g.Rows)
	w.row = g.Rows - south - w.rows
	if w.columns == 0 || w.rows == 0 || !(b.West <= b.East) || !(b.South <= b.North) {
		*w = window{}
	}
}

// checkExtent refuses cells that are too small for the precision of their coordinates.
func (g *Grid) checkExtent() error {
	east, north := g.West+float64(g.Columns)*g.Width, g.South+float64(g.Rows)*g.Height
	if !(east > g.West && north > g.South) || math.IsInf(east, 0) || math.IsInf(north, 0) {
		return fmt.Errorf("cells of %g x %g are too small or too large for the corner at (%g, %g)",
			g.Width, g.Height, g.West, g.South)
	}
	return nil
}
