package raster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// MaxCells is the number of cells of the largest raster that is read.
const MaxCells = 1 << 27 // 1 GiB of values

// noData marks cells without data if the header has no NODATA_value.
const noData = -9999

// Decode reads an ESRI ASCII grid: a header of names and numbers in any order and case,
//
//	ncols, nrows            number of cells
//	xllcorner or xllcenter  x of the west edge, or of the centres of the westmost cells; likewise y
//	cellsize or dx, dy      size of a cell
//	NODATA_value            value of cells without data; -9999 by default
//
// and then the values by rows from the north, each from west to east. Errors begin with the name and the line. Memory
// grows with the data that is read.
func Decode(r io.Reader, name string) (*Grid, error) {
	t := &tokens{r: bufio.NewReaderSize(r, 1<<16), line: 1}
	g := &Grid{name: name}
	err := g.decode(t)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, t.wordLine, err)
	}
	g.window = window{0, 0, g.Columns, g.Rows}
	return g, nil
}

func (g *Grid) decode(t *tokens) error {
	h, first, err := readHeader(t)
	if err != nil {
		return err
	}
	if err := g.setExtent(h); err != nil {
		return err
	}
	missing := float64(noData)
	if v, ok := h["nodata_value"]; ok {
		missing = v
	}
	count := g.Columns * g.Rows
	for token := first; ; {
		if len(g.values) == count {
			return fmt.Errorf("%.40q comes after the last of %d x %d values", token, g.Columns, g.Rows)
		}
		v, err := parse(string(token))
		if err != nil {
			return err
		}
		if v == missing || v != v && missing != missing {
			v = math.NaN()
		} else if v-v != 0 {
			return fmt.Errorf("value %s is not finite; declare it as NODATA_value if it marks missing data", token)
		}
		g.values = append(g.values, v)
		token, err = t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(g.values) != count {
		return fmt.Errorf("ends after %d values; ncols x nrows = %d x %d needs %d", len(g.values), g.Columns, g.Rows, count)
	}
	return nil
}

// readHeader returns the header by name in lower case, and the first token after it.
func readHeader(t *tokens) (h map[string]float64, first []byte, err error) {
	h = map[string]float64{}
	for {
		token, err := t.next()
		if err == io.EOF {
			return nil, nil, errors.New("ends before the first value")
		}
		if err != nil {
			return nil, nil, err
		}
		if strings.IndexByte("+-.0123456789", token[0]) >= 0 || strings.EqualFold(string(token), "nan") {
			return h, token, nil
		}
		key := strings.ToLower(string(token))
		key = strings.Replace(key, "llcentre", "llcenter", 1)
		switch key {
		case "ncols", "nrows", "xllcorner", "xllcenter", "yllcorner", "yllcenter", "cellsize", "dx", "dy", "nodata_value":
		default:
			return nil, nil, fmt.Errorf("%.40q is not known in the header of an ESRI ASCII grid; %s", token, conversionAdvice)
		}
		if _, twice := h[key]; twice {
			return nil, nil, fmt.Errorf("%s is given twice", key)
		}
		token, err = t.next()
		if err == io.EOF {
			return nil, nil, fmt.Errorf("%s has no value", key)
		}
		if err != nil {
			return nil, nil, err
		}
		if h[key], err = parse(string(token)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", key, err)
		}
		if key != "nodata_value" && h[key]-h[key] != 0 {
			return nil, nil, fmt.Errorf("%s: %s is not finite", key, token)
		}
	}
}

// setExtent sets the extent of the grid from its header.
func (g *Grid) setExtent(h map[string]float64) error {
	if _, ok := h["cellsize"]; ok {
		for _, key := range []string{"dx", "dy"} {
			if _, ok := h[key]; ok {
				return fmt.Errorf("both cellsize and %s are given", key)
			}
			h[key] = h["cellsize"]
		}
	}
	for _, key := range []string{"ncols", "nrows", "dx", "dy"} {
		v, ok := h[key]
		switch {
		case !ok && key[0] == 'd':
			return errors.New("the header lacks cellsize, or dx and dy")
		case !ok:
			return fmt.Errorf("the header lacks %s", key)
		case v <= 0:
			return fmt.Errorf("%s is %g; it must be positive", key, v)
		case key[0] == 'n' && (v != math.Trunc(v) || v > MaxCells):
			return fmt.Errorf("%s is %g; it must be a whole number up to %d", key, v, MaxCells)
		}
	}
	if h["ncols"]*h["nrows"] > MaxCells {
		return fmt.Errorf("%g x %g cells are more than %d; cut out or coarsen the raster", h["ncols"], h["nrows"], MaxCells)
	}
	g.Columns, g.Rows, g.Width, g.Height = int(h["ncols"]), int(h["nrows"]), h["dx"], h["dy"]
	var err error
	if g.West, err = edge(h, "x", g.Width); err != nil {
		return err
	}
	if g.South, err = edge(h, "y", g.Height); err != nil {
		return err
	}
	return g.checkExtent()
}

// edge returns the west or the south edge.
func edge(h map[string]float64, axis string, size float64) (float64, error) {
	corner, isCorner := h[axis+"llcorner"]
	centre, isCentre := h[axis+"llcenter"]
	switch {
	case isCorner && isCentre:
		return 0, fmt.Errorf("both %sllcorner and %sllcenter are given", axis, axis)
	case isCorner:
		return corner, nil
	case isCentre:
		return centre - size/2, nil
	}
	return 0, fmt.Errorf("the header lacks %sllcorner or %sllcenter", axis, axis)
}

// parse reads a decimal number or nan.
func parse(s string) (float64, error) {
	decimal := strings.Trim(s, "+-.0123456789eE") == "" || strings.EqualFold(s, "nan")
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !decimal {
		return 0, fmt.Errorf("%.40q is not a number", s)
	}
	return v, nil
}
