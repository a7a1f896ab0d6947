package raster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// DecodeXYZ reads points of a regular grid, a line each: x, y and the value, between white space, commas or semicolons,
// in any order. A first line of names and lines that begin with # are left out. Points that are not there have no data.
// Errors start with name and line.
func DecodeXYZ(r io.Reader, name string) (*Grid, error) {
	points, line, err := points(r)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	g, err := regular(points)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	g.name = name
	return g, nil
}

// points reads all, and tells how many lines there are.
func points(r io.Reader) (list [][3]float64, line int, err error) {
	in := bufio.NewScanner(r)
	for in.Scan() {
		line++
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t,;", r) })
		if len(words) < 3 {
			return nil, line, fmt.Errorf("%.40q is not x, y and a value", text)
		}
		var p [3]float64
		for k := range p {
			if p[k], err = strconv.ParseFloat(words[k], 64); err != nil {
				break
			}
		}
		if err != nil && len(list) == 0 && line == 1 {
			continue // names
		}
		if err != nil || p[0]-p[0] != 0 || p[1]-p[1] != 0 || math.IsInf(p[2], 0) {
			return nil, line, fmt.Errorf("%.40q is not x, y and a value", text)
		}
		if len(list) == MaxCells {
			return nil, line, fmt.Errorf("more than %d points; cut out or coarsen the raster", MaxCells)
		}
		list = append(list, p)
	}
	if err := in.Err(); err != nil {
		return nil, line + 1, err
	}
	return list, max(1, line), nil
}

// regular finds the grid of points.
func regular(list [][3]float64) (*Grid, error) {
	g := &Grid{}
	var err error
	if g.West, g.Width, g.Columns, err = steps(list, 0); err != nil {
		return nil, err
	}
	if g.South, g.Height, g.Rows, err = steps(list, 1); err != nil {
		return nil, err
	}
	if g.Columns > MaxCells/g.Rows || g.Columns*g.Rows > 1000+100*len(list) {
		return nil, fmt.Errorf("%d points are too few for a grid of %d x %d: gdal_grid makes a raster of scattered points",
			len(list), g.Columns, g.Rows)
	}
	if err := g.checkExtent(); err != nil {
		return nil, err
	}
	g.window = window{0, 0, g.Columns, g.Rows}
	g.values = slices.Repeat([]float64{math.NaN()}, g.Columns*g.Rows)
	taken := make([]bool, len(g.values))
	for _, p := range list {
		column := int((p[0] - g.West) / g.Width)
		row := g.Rows - 1 - int((p[1]-g.South)/g.Height)
		i := row*g.Columns + column
		if taken[i] {
			return nil, fmt.Errorf("two points lie at (%g, %g)", p[0], p[1])
		}
		taken[i] = true
		g.values[i] = p[2]
	}
	return g, nil
}

// steps finds the outer edge, the step and the count of the positions of points along an axis.
func steps(list [][3]float64, axis int) (edge, step float64, count int, err error) {
	at := make([]float64, len(list))
	for i, p := range list {
		at[i] = p[axis]
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) < 2 {
		return 0, 0, 0, errors.New("points at two places or more are needed along x and along y")
	}
	step = math.Inf(1)
	for i := range at[1:] {
		step = min(step, at[i+1]-at[i])
	}
	n := math.Round((at[len(at)-1] - at[0]) / step)
	if n > MaxCells {
		return 0, 0, 0, fmt.Errorf("along %c places are only %g apart: gdal_grid makes a raster of scattered points",
			"xy"[axis], step)
	}
	step = (at[len(at)-1] - at[0]) / n
	for _, x := range at {
		if k := (x - at[0]) / step; math.Abs(k-math.Round(k)) > .02 {
			return 0, 0, 0, fmt.Errorf("along %c place %g is not on the steps of %g: "+
				"gdal_grid makes a raster of scattered points", "xy"[axis], x, step)
		}
	}
	return at[0] - step/2, step, int(n) + 1, nil
}
