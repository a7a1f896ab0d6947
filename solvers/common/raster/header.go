package raster

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// keys are the names in headers of ESRI ASCII grids in lower case, and others that mean the same.
var keys = map[string]string{"ncols": "ncols", "nrows": "nrows", "mx": "ncols", "my": "nrows",
	"xllcorner": "xllcorner", "yllcorner": "yllcorner", "xllcenter": "xllcenter", "yllcenter": "yllcenter",
	"xllcentre": "xllcenter", "yllcentre": "yllcenter", "xlower": "xllcenter", "ylower": "yllcenter",
	"cellsize": "cellsize", "dx": "dx", "dy": "dy", "nodata_value": "nodata_value", "nodata": "nodata_value",
	"nodataval": "nodata_value"}

// readHeader returns the numbers of the header by name. The next word is the first value.
func readHeader(t *tokens) (map[string]float64, error) {
	h := map[string]float64{}
	for {
		token, err := t.next()
		switch {
		case err == io.EOF:
			return nil, errors.New("ends before the first value")
		case err != nil:
			return nil, err
		case !isNumber(token):
			if err := readPair(t, h, string(token)); err != nil {
				return nil, err
			}
			continue
		}
		if t.unread(string(token)); len(h) > 0 {
			return h, nil
		}
		return h, readNumbersFirst(t, h)
	}
}

// isNumber reports whether a word is a number, or begins like one.
func isNumber(token []byte) bool {
	return strings.IndexByte("+-.0123456789", token[0]) >= 0 || strings.EqualFold(string(token), "nan")
}

// readPair reads the number after a name.
func readPair(t *tokens, h map[string]float64, name string) error {
	key, known := keys[strings.ToLower(name)]
	if !known {
		return fmt.Errorf("%.40q is not known in the header of an ESRI ASCII grid; %s", name, conversionAdvice)
	}
	token, err := t.next()
	if err == io.EOF {
		return fmt.Errorf("%s has no value", key)
	}
	if err != nil {
		return err
	}
	return set(h, key, string(token))
}

// readNumbersFirst reads a header in which numbers precede their names, as GeoClaw writes it.
func readNumbersFirst(t *tokens, h map[string]float64) error {
	var numbers []string
	for {
		token, err := t.next()
		word := string(token)
		if err == nil && isNumber(token) && len(numbers) < 3 {
			numbers = append(numbers, strings.Clone(word))
			continue
		}
		key, known := keys[strings.ToLower(word)]
		if err == nil && known && len(numbers) == 2 && key == "cellsize" {
			if err := set(h, "dx", numbers[0]); err != nil {
				return err
			}
			key, numbers = "dy", numbers[1:]
		}
		if err != nil || !known || len(numbers) != 1 { // the values have begun
			if err == nil {
				numbers = append(numbers, word)
			} else if err != io.EOF {
				return err
			}
			t.unread(numbers...)
			return nil
		}
		if err := set(h, key, numbers[0]); err != nil {
			return err
		}
		numbers = nil
	}
}

// set adds a number to the header.
func set(h map[string]float64, key, text string) (err error) {
	if _, twice := h[key]; twice {
		return fmt.Errorf("%s is given twice", key)
	}
	if h[key], err = parse(text); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if key != "nodata_value" && h[key]-h[key] != 0 {
		return fmt.Errorf("%s: %s is not finite", key, text)
	}
	return nil
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

// parse reads a decimal number or nan, as some C libraries also write it: -1.#IND, nan(ind).
func parse(s string) (float64, error) {
	decimal := strings.Trim(s, "+-.0123456789eE") == "" || strings.EqualFold(s, "nan")
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && decimal {
		return v, nil
	}
	switch strings.TrimLeft(strings.ToLower(s), "+-") {
	case "nan", "nan(ind)", "1.#ind", "1.#qnan", "1.#ind00", "1.#qnan0":
		return math.NaN(), nil
	}
	return 0, fmt.Errorf("%.40q is not a number", s)
}
