package raster

import "math"

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
