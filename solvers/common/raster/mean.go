package raster

import (
	"fmt"
	"math"
)

// Mean returns the mean of the values of the cells whose centres are in a box, of the last raster that has a value
// there. Where a box has no centre of a cell, it is the value at the middle of the box (At). It is false where there is
// no value.
func (s Stack) Mean(b Box) (mean float64, ok bool) {
	for k := len(s) - 1; k >= 0; k-- {
		if mean, ok = s[k].mean(b); ok {
			return mean, true
		}
	}
	return 0, false
}

func (g *Grid) mean(b Box) (mean float64, ok bool) {
	west, south := (b.West-g.West)/g.Width-.5, (b.South-g.South)/g.Height-.5
	east, north := (b.East-g.West)/g.Width-.5, (b.North-g.South)/g.Height-.5
	first, last := int(max(0, math.Ceil(west))), int(min(float64(g.Columns-1), math.Floor(east)))
	low, high := int(max(0, math.Ceil(south))), int(min(float64(g.Rows-1), math.Floor(north)))
	sum, count := 0.0, 0
	for row := low; row <= high; row++ {
		for column := first; column <= last; column++ {
			if v := g.value(column, row); v == v {
				sum += v
				count++
			}
		}
	}
	if count > 0 {
		return sum / float64(count) * g.scale, true
	}
	if first <= last && low <= high {
		return 0, false // cells without data
	}
	v, err := g.At((b.West+b.East)/2, (b.South+b.North)/2)
	return v, err == nil
}

// CellSize returns the smaller side of the cells of the last raster that has a value at a position, or of the last one.
func (s Stack) CellSize(x, y float64) float64 {
	for k := len(s) - 1; k >= 0; k-- {
		if _, err := s[k].At(x, y); err == nil {
			return min(s[k].Width, s[k].Height)
		}
	}
	return min(s[len(s)-1].Width, s[len(s)-1].Height)
}

// Cell returns the value of the cell that contains a position, of the last raster that has one.
func (s Stack) Cell(x, y float64) (float64, error) {
	for k := len(s) - 1; k >= 0; k-- {
		g := s[k]
		u, v := math.Floor((x-g.West)/g.Width), math.Floor((y-g.South)/g.Height)
		if !(u >= 0 && v >= 0 && u < float64(g.Columns) && v < float64(g.Rows)) {
			continue
		}
		if value := g.value(int(u), int(v)) * g.scale; value == value {
			return value, nil
		}
	}
	_, err := s.At(x, y)
	if err == nil {
		err = &Missing{fmt.Sprintf("%s: the raster has no data at point (%g, %g)", s[len(s)-1].name, x, y)}
	}
	return 0, err
}

// Nearest returns the value of the cell with data whose centre is nearest to a position, and within a distance, in the
// last raster that has one; of several as near, that of the lowest row and column. Distances along x are shorter than
// their coordinates tell by a factor: 1, or of longitudes the cosine of the latitude.
func (s Stack) Nearest(x, y, distance, shorter float64) (value float64, found bool) {
	for k := len(s) - 1; k >= 0 && !found; k-- {
		g := s[k]
		nearest := distance
		column := func(x float64) int { return int(max(0, min(float64(g.Columns-1), math.Floor((x-g.West)/g.Width)))) }
		row := func(y float64) int { return int(max(0, min(float64(g.Rows-1), math.Floor((y-g.South)/g.Height)))) }
		for j := row(y - distance); j <= row(y+distance); j++ {
			for i := column(x - distance/shorter); i <= column(x+distance/shorter); i++ {
				v := g.value(i, j)
				d := math.Hypot(shorter*(g.West+(float64(i)+.5)*g.Width-x), g.South+(float64(j)+.5)*g.Height-y)
				if v == v && (d < nearest || !found && d <= nearest) {
					value, nearest, found = v*g.scale, d, true
				}
			}
		}
	}
	return value, found
}
