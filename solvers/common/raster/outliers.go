package raster

import (
	"fmt"
	"math"
	"slices"
)

// Extremes are the least and the largest values of a raster, raw as in the file. Those of parts of a raster can be
// merged.
type Extremes struct {
	File, Advice string
	Low, High    Extreme
	// Where the raster is: its columns, rows, south-west corner and size of cells.
	Columns, Rows              int
	West, South, Width, Height float64
}

// Extreme is the least or the largest value. Next is the next one among the other values, Value if there is none.
type Extreme struct {
	Value, Next float64
	At          []int // cells with the value, counted row by row from the south, at most maxAt
}

const (
	maxAt       = 100
	leastCells  = 16 // of rasters whose outliers are noted
	rareShare   = .3 // of all cells, which an outlier may have
	farOfAny    = 10 // how many times the range of the others an outlier is away from these
	farOfFiller = .5 // the same of fillers
)

// fillers are numbers that files may have where they have no data, although they can be values.
var fillers = []float64{0, -1, 1, -9, 99, 127, -128, 254, 255, 999}

// Extremes returns the extremes of the window of each raster that has values.
func (s Stack) Extremes() (list []Extremes) {
	for _, g := range s {
		if e := g.extremes(); len(e.Low.At) > 0 {
			list = append(list, e)
		}
	}
	return list
}

func (g *Grid) extremes() Extremes {
	e := Extremes{File: g.name, Advice: g.declared.advice, Columns: g.Columns, Rows: g.Rows, West: g.West, South: g.South,
		Width: g.Width, Height: g.Height}
	w := &g.window
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(1), math.Inf(1)} // of the negative values
	for south := g.Rows - w.row - w.rows; south < g.Rows-w.row; south++ {
		for column := w.column; column < w.column+w.columns; column++ {
			v := g.value(column, south)
			if v != v {
				continue
			}
			if v <= low[1] {
				e.Low.add(&low, v, v, south*g.Columns+column)
			}
			if -v <= high[1] {
				e.High.add(&high, -v, v, south*g.Columns+column)
			}
		}
	}
	e.Low.Next, e.High.Next = low[1], -high[1]
	for _, x := range []*Extreme{&e.Low, &e.High} {
		if math.IsInf(x.Next, 0) {
			x.Next = x.Value
		}
	}
	return e
}

// add adds the value v of a cell, which comes before others with a larger key. least are the two least keys.
func (x *Extreme) add(least *[2]float64, key, v float64, cell int) {
	switch {
	case key < least[0]:
		least[0], least[1] = key, least[0]
		x.Value, x.At = v, append(x.At[:0], cell)
	case key == least[0] && len(x.At) < maxAt:
		x.At = append(x.At, cell)
	case key > least[0] && key < least[1]:
		least[1] = key
	}
}

// Merge adds the extremes of another part of the same raster.
func (e *Extremes) Merge(o *Extremes) {
	e.Low.merge(&o.Low, 1)
	e.High.merge(&o.High, -1)
}

// merge merges extremes; sign is -1 if they are largest values.
func (x *Extreme) merge(o *Extreme, sign float64) {
	values := []float64{sign * x.Value, sign * x.Next, sign * o.Value, sign * o.Next}
	slices.Sort(values)
	values = slices.Compact(values)
	switch first := sign * values[0]; {
	case o.Value != first:
	case x.Value != first:
		x.At = o.At
	default:
		x.At = append(x.At, o.At...)
		slices.Sort(x.At)
		x.At = slices.Compact(x.At)
		x.At = x.At[:min(len(x.At), maxAt)]
	}
	x.Value, x.Next = sign*values[0], sign*values[min(1, len(values)-1)]
}

// Notes names values that few cells have and that are far from all others, which may mark missing ones.
func (e *Extremes) Notes() (notes []string) {
	inner := max(0, e.High.Next-e.Low.Next)
	if e.Columns*e.Rows < leastCells {
		return nil
	}
	for _, x := range []*Extreme{&e.Low, &e.High} {
		far := inner * farOfAny
		if slices.Contains(fillers, x.Value) {
			far = inner * farOfFiller
		} else if inner == 0 {
			continue
		}
		if float64(len(x.At)) > rareShare*float64(e.Columns*e.Rows) || math.Abs(x.Value-x.Next) <= far {
			continue
		}
		least, most := e.Low.Next, e.High.Value
		if x == &e.High {
			least, most = e.Low.Value, e.High.Next
		}
		cells := fmt.Sprintf("%d cells", len(x.At))
		switch len(x.At) {
		case 1:
			cells = "1 cell"
		case maxAt:
			cells += " or more"
		}
		cell := x.At[0]
		advice := fmt.Sprintf("nodata = %g in the case", x.Value)
		if e.Advice != "" {
			advice = fmt.Sprintf(e.Advice, x.Value) + ", or " + advice
		}
		west, south := e.West+(float64(cell%e.Columns)+.5)*e.Width, e.South+(float64(cell/e.Columns)+.5)*e.Height
		notes = append(notes, fmt.Sprintf("%s: the value %g of %s, such as at (%g, %g), is far from the others, from "+
			"%.6g to %.6g: if it marks missing data, declare it: %s", e.File, x.Value, cells, west, south, least, most, advice))
	}
	return notes
}
