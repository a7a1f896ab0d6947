package raster

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Extremes are the least and the largest of the values of a raster, raw as in the file, or of a field of a mesh. Those
// of parts can be merged.
type Extremes struct {
	File, Advice string
	Cells        int  // number of cells; of a mesh, in this part
	OfMesh       bool // cells are those of a mesh, of which parts have others
	Low, High    Extreme
}

// Extreme is the least or the largest value. Next is the next one among the other values, Value if there is none.
type Extreme struct {
	Value, Next float64
	At          []int   // the lowest numbers of cells with the value, at most maxAt
	X, Y        float64 // centre of the first one
}

const (
	maxAt       = 100
	leastCells  = 16  // of rasters whose outliers are noted
	rareShare   = .3  // of all cells, which an outlier may have
	farOfAny    = 10  // how many times the range of the others an outlier is away from these
	farOfFiller = .5  // the same of fillers
	farOfZeros  = 1e3 // what is noted if all others are 0
	// From this magnitude on, values that are as many times farther from the others than these are from 0 are none.
	absurd, farOfAbsurd = 1e4, 1e3
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
	w := &g.window
	e := ExtremesOf(g.name, g.Columns*g.Rows, func(yield func(cell int, v float64)) {
		for south := g.Rows - w.row - w.rows; south < g.Rows-w.row; south++ {
			for column := w.column; column < w.column+w.columns; column++ {
				yield(south*g.Columns+column, g.value(column, south))
			}
		}
	}, func(cell int) (x, y float64) {
		return g.West + (float64(cell%g.Columns)+.5)*g.Width, g.South + (float64(cell/g.Columns)+.5)*g.Height
	})
	e.Advice = g.declared.advice
	return e
}

// ExtremesOf returns the extremes of the values that each yields with the numbers of their cells; NaN is none. at
// returns the centre of a cell.
func ExtremesOf(file string, cells int, each func(yield func(cell int, v float64)),
	at func(cell int) (x, y float64)) Extremes {
	e := Extremes{File: file, Cells: cells}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(1), math.Inf(1)} // of the negative values
	each(func(cell int, v float64) {
		if v <= low[1] {
			e.Low.add(&low, v, v, cell)
		}
		if -v <= high[1] {
			e.High.add(&high, -v, v, cell)
		}
	})
	e.Low.Next, e.High.Next = low[1], -high[1]
	for _, x := range []*Extreme{&e.Low, &e.High} {
		if math.IsInf(x.Next, 0) {
			x.Next = x.Value
		}
		if len(x.At) > 0 {
			x.X, x.Y = at(x.At[0])
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
	case key == least[0]:
		if k, found := slices.BinarySearch(x.At, cell); !found && k < maxAt {
			x.At = slices.Insert(x.At, k, cell)
			x.At = x.At[:min(len(x.At), maxAt)]
		}
	case key < least[1]:
		least[1] = key
	}
}

// Merge adds the extremes of another part of the same raster or mesh.
func (e *Extremes) Merge(o *Extremes) {
	if e.OfMesh {
		e.Cells += o.Cells
	}
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
		x.At, x.X, x.Y = o.At, o.X, o.Y
	default:
		if o.At[0] < x.At[0] {
			x.X, x.Y = o.X, o.Y
		}
		x.At = append(x.At, o.At...)
		slices.Sort(x.At)
		x.At = slices.Compact(x.At)
		x.At = x.At[:min(len(x.At), maxAt)]
	}
	x.Value, x.Next = sign*values[0], sign*values[min(1, len(values)-1)]
}

// Notes names values that few cells have and that are far from all others, which may mark missing ones. If they are so
// far that they are no values it returns an error.
func (e *Extremes) Notes() (notes []string, err error) {
	if e.Cells < leastCells {
		return nil, nil
	}
	inner := max(0, e.High.Next-e.Low.Next)
	for _, x := range []*Extreme{&e.Low, &e.High} {
		distance, far := math.Abs(x.Value-x.Next), inner*farOfAny
		switch {
		case slices.Contains(fillers, x.Value):
			far = inner * farOfFiller
		case inner == 0 && x.Next == 0:
			far = farOfZeros
		case inner == 0:
			far = math.Abs(x.Next) * farOfAny
		}
		if float64(len(x.At)) > rareShare*float64(e.Cells) || distance <= far {
			continue
		}
		least, most := e.Low.Next, e.High.Value
		if x == &e.High {
			least, most = e.Low.Value, e.High.Next
		}
		text := e.describe(x, least, most)
		if math.Abs(x.Value) >= absurd && distance >= farOfAbsurd*max(1, math.Abs(least), math.Abs(most)) {
			return nil, errors.New(text)
		}
		notes = append(notes, text)
	}
	return notes, nil
}

// describe returns a sentence about an extreme, where the others are from least to most.
func (e *Extremes) describe(x *Extreme, least, most float64) string {
	cells := fmt.Sprintf("%d cells", len(x.At))
	switch len(x.At) {
	case 1:
		cells = "1 cell"
	case maxAt:
		cells += " or more"
	}
	advice := fmt.Sprintf("nodata = %g in the case", x.Value)
	if e.Advice != "" {
		advice = fmt.Sprintf(e.Advice, x.Value) + ", or " + advice
	}
	return fmt.Sprintf("%s: the value %g of %s, such as at (%g, %g), is far from the others, from %.6g to %.6g: if it "+
		"marks missing data, declare it: %s", e.File, x.Value, cells, x.X, x.Y, least, most, advice)
}
