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
	"unicode"

	"github.com/atoll-hpc/atoll/formats/table"
)

// DecodeXYZ reads points of a regular grid, one on each line: x, y and the value, separated by semicolons, by white
// space or by commas, in any order of points. Commas that do not separate numbers are decimal signs. A first line with
// names and lines beginning with # are skipped. Grid cells without a point have no data. Errors begin with the name
// and the line.
func DecodeXYZ(r io.Reader, name string) (*Grid, error) {
	points, line, err := points(r)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	g := newGrid(name)
	if err := g.setPoints(points); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	g.findMissing(nil)
	return g, nil
}

// points reads all points, and counts the lines.
func points(r io.Reader) (list [][3]float64, line int, err error) {
	in := bufio.NewScanner(r)
	named := false
	for in.Scan() {
		line++
		text := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\ufeff"))
		if text == "" || text[0] == '#' {
			continue
		}
		first := !named && len(list) == 0
		p, err := point(text)
		if err != nil && first && strings.ContainsFunc(text, unicode.IsLetter) {
			named = true // column names
			continue
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

// point reads the three numbers of a line.
func point(text string) (p [3]float64, err error) {
	words := table.Fields(text, len(p))
	if len(words) < len(p) {
		return p, errors.New("there are fewer than three numbers")
	}
	for k := range p {
		if p[k], err = strconv.ParseFloat(words[k], 64); err != nil {
			return p, err
		}
	}
	return p, nil
}

// setPoints makes the grid whose cell centres the points are.
func (g *Grid) setPoints(list [][3]float64) error {
	var err error
	if g.West, g.Width, g.Columns, err = spacing(list, 0); err != nil {
		return err
	}
	if g.South, g.Height, g.Rows, err = spacing(list, 1); err != nil {
		return err
	}
	// Scattered points give a small step by chance, and then a grid in which nearly all cells are without data.
	if g.Columns > MaxCells/g.Rows || g.Columns*g.Rows > 1000+100*len(list) {
		return fmt.Errorf("%d points are too few for a grid of %d x %d: convert scattered points by gdal_grid",
			len(list), g.Columns, g.Rows)
	}
	if err := g.checkExtent(); err != nil {
		return err
	}
	g.window = window{0, 0, g.Columns, g.Rows}
	g.values = slices.Repeat([]float64{math.NaN()}, g.Columns*g.Rows)
	taken := make([]bool, len(g.values))
	for _, p := range list {
		column := int((p[0] - g.West) / g.Width)
		row := g.Rows - 1 - int((p[1]-g.South)/g.Height)
		i := row*g.Columns + column
		if taken[i] {
			return fmt.Errorf("two points at (%g, %g)", p[0], p[1])
		}
		taken[i] = true
		g.values[i] = p[2]
	}
	return nil
}

// spacing returns, along an axis, the outer edge of the grid, the distance of its positions and their number.
func spacing(list [][3]float64, axis int) (edge, step float64, count int, err error) {
	positions := make([]float64, len(list))
	for i, p := range list {
		positions[i] = p[axis]
	}
	slices.Sort(positions)
	positions = slices.Compact(positions)
	if len(positions) < 2 {
		return 0, 0, 0, errors.New("at least two positions along x and along y are needed")
	}
	step = math.Inf(1)
	for i := range positions[1:] {
		step = min(step, positions[i+1]-positions[i])
	}
	n := math.Round((positions[len(positions)-1] - positions[0]) / step)
	if n > MaxCells {
		return 0, 0, 0, fmt.Errorf("positions along %c are only %g apart: convert scattered points by gdal_grid",
			"xy"[axis], step)
	}
	step = (positions[len(positions)-1] - positions[0]) / n
	for _, x := range positions {
		if k := (x - positions[0]) / step; math.Abs(k-math.Round(k)) > .02 {
			return 0, 0, 0, fmt.Errorf("position %[1]c = %[2]g is not a multiple of the step %[3]g: "+
				"convert scattered points by gdal_grid", "xy"[axis], x, step)
		}
	}
	return positions[0] - step/2, step, int(n) + 1, nil
}
