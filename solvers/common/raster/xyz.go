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
	"github.com/atoll-hpc/atoll/formats/units"
)

// DecodeXYZ reads points of a regular grid, one on each line: x, y and the value, separated by semicolons, by white
// space or by commas, in any order of points. Commas that do not separate numbers are decimal signs. If the first line
// has names of columns, such as lat, lon and elevation, these choose the columns; they may end with units. Lines
// beginning with # are skipped. Grid cells without a point have no data. Errors begin with the name and the line.
func DecodeXYZ(r io.Reader, name string) (*Grid, error) {
	points, titles, line, err := points(r)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	g := newGrid(name)
	if err := g.setPoints(points); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	g.declared.coordinateUnit, g.declared.heightUnit = titles.coordinateUnit, titles.heightUnit
	g.scaleCoordinates()
	g.findMissing(nil)
	return g, nil
}

// points reads all points, and counts the lines.
func points(r io.Reader) (list [][3]float64, titles xyzTitles, line int, err error) {
	in := bufio.NewScanner(r)
	named := false
	titles.columns = [3]int{0, 1, 2}
	for in.Scan() {
		line++
		text := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\ufeff"))
		if text == "" || text[0] == '#' {
			continue
		}
		first := !named && len(list) == 0
		p, err := titles.point(text)
		if err != nil && first && strings.ContainsFunc(text, unicode.IsLetter) {
			named, titles = true, xyzTitlesOf(text)
			continue
		}
		if err != nil || p[0]-p[0] != 0 || p[1]-p[1] != 0 || math.IsInf(p[2], 0) {
			return nil, titles, line, fmt.Errorf("%.40q is not x, y and a value", text)
		}
		if len(list) == MaxCells {
			return nil, titles, line, fmt.Errorf("more than %d points; cut out or coarsen the raster", MaxCells)
		}
		list = append(list, p)
	}
	if err := in.Err(); err != nil {
		return nil, titles, line + 1, err
	}
	return list, titles, max(1, line), nil
}

// xyzTitles are the columns of x, y and the value, and the units in their names; "" for none.
type xyzTitles struct {
	columns                    [3]int
	coordinateUnit, heightUnit string
}

// xyzNames are the usual names of the columns, in lower case.
var xyzNames = [3][]string{
	{"x", "lon", "long", "longitude", "easting", "east", "xcoord", "rechtswert"},
	{"y", "lat", "latitude", "northing", "north", "ycoord", "hochwert"},
	{"z", "elevation", "elev", "height", "depth", "value", "altitude", "alt", "level", "topo", "bathymetry", "bed"},
}

// xyzTitlesOf finds the columns in a line of names. Where these do not name x and y, they are the first two.
func xyzTitlesOf(line string) xyzTitles {
	t := xyzTitles{columns: [3]int{0, 1, 2}}
	separators := " \t"
	for _, sign := range []string{";", "\t", ","} {
		if strings.Contains(line, sign) {
			separators = sign
			break
		}
	}
	names := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(separators, r) })
	found := [3]int{-1, -1, -1}
	for k, name := range names {
		words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("\" [(_", r) })
		for axis := range found {
			if found[axis] < 0 && len(words) > 0 && slices.Contains(xyzNames[axis], words[0]) {
				found[axis] = k
			}
		}
	}
	if found[0] < 0 || found[1] < 0 {
		return t
	}
	for k := 0; found[2] < 0 && k < len(names); k++ {
		if k != found[0] && k != found[1] {
			found[2] = k
		}
	}
	if found[2] < 0 { // only x and y have names: the value follows
		found[2] = len(names)
		names = append(names, "")
	}
	t.columns = found
	t.heightUnit, t.coordinateUnit = unitOfTitle(names[found[2]]), unitOfTitle(names[found[0]])
	if strings.HasPrefix(strings.ToLower(strings.Trim(names[found[0]], "\" ")), "lon") {
		t.coordinateUnit = "degree"
	}
	return t
}

// unitOfTitle returns the unit of length in brackets or at the end of a name; "" if there is none.
func unitOfTitle(name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]()\"", r) {
			return ' '
		}
		return r
	}, name))
	return units.AtEnd(name, "m")
}

// point reads the three numbers of a line.
func (t *xyzTitles) point(text string) (p [3]float64, err error) {
	count := slices.Max(t.columns[:]) + 1
	words := table.Fields(text, count)
	if len(words) < count {
		return p, errors.New("there are fewer than three numbers")
	}
	for k, column := range t.columns {
		if p[k], err = strconv.ParseFloat(words[column], 64); err != nil {
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
