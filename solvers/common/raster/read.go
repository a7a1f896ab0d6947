package raster

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/atoll-hpc/atoll/formats/missing"
)

// MaxCells is the number of cells of the largest raster that is read.
const MaxCells = 1 << 27 // 1 GiB of values

// noData marks cells without data if the header has no NODATA_value.
const noData = -9999

// Decode reads an ESRI ASCII grid: a header of names and numbers in any order and case,
//
//	ncols, nrows            number of cells; also mx, my
//	xllcorner or xllcenter  x of the west edge, or of the centres of the westmost cells, also xlower; likewise y
//	cellsize or dx, dy      size of a cell; cellsize may be followed by two numbers, along x and y
//	NODATA_value            value of cells without data; -9999 by default
//
// and then the values by rows from the north, each from west to east. In the header each number may also precede its
// name, as GeoClaw writes it. Errors begin with the name and the line. Memory grows with the data that is read.
func Decode(r io.Reader, name string) (*Grid, error) {
	g := newGrid(name)
	t, err := newTokens(r)
	if err == nil {
		err = g.decode(t)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, t.wordLine, err)
	}
	g.window = window{0, 0, g.Columns, g.Rows}
	g.findMissing(nil)
	return g, nil
}

func (g *Grid) decode(t *tokens) error {
	h, err := readHeader(t)
	if err != nil {
		return err
	}
	if err := g.setExtent(h); err != nil {
		return err
	}
	declared := float64(noData)
	if v, ok := h["nodata_value"]; ok {
		declared = v
	}
	count := g.Columns * g.Rows
	for {
		token, err := t.next()
		if err == io.EOF && len(g.values) > 0 {
			break
		}
		if err == io.EOF {
			return errors.New("ends before the first value")
		}
		if err != nil {
			return err
		}
		if len(g.values) == count {
			return fmt.Errorf("%.40q comes after the last of %d x %d values", token, g.Columns, g.Rows)
		}
		v, err := parse(string(token))
		if err != nil {
			return err
		}
		if missing.Matches(v, declared) || v != v && declared != declared {
			v = math.NaN()
		} else if v-v != 0 {
			return fmt.Errorf("value %s is not finite; declare it as NODATA_value if it marks missing data", token)
		}
		g.values = append(g.values, v)
	}
	if len(g.values) != count {
		return fmt.Errorf("ends after %d values; ncols x nrows = %d x %d needs %d", len(g.values), g.Columns, g.Rows, count)
	}
	return nil
}
