package config

import (
	"fmt"
	"strings"
	"unicode"
)

// Gauge is a section [[gauge]]: points at which the solution is written during the run. One of At, Line and File is
// set.
type Gauge struct {
	Name   string      // of its file; the points of a line append a number; "" with File
	At     []float64   // position: x, y and, in space, z in m
	Line   [][]float64 // corners of a line on which the points lie, equally spaced, the first and last at its ends
	Points int         // number of points on Line
	File   string      // CSV, GeoJSON or XYZ file of points with names
	Dim    int         // coordinates of each point
	Every  float64     // s between values; 0 for each step

	Measured *Measured // instrument data at a single point; nil for none
}

// Measured is data of an instrument at a gauge, with which the computed values are compared.
type Measured struct {
	File   string // as of a Series; relative to the case file
	Sheet  string // of an Excel workbook; "" for the only one
	Column string // name of a column of the file, and
	Field  string // the field that it measures; "" for both: all columns named like a field of the gauge
}

// Transect is a section [[transect]]: a line in the plane; the flow through it is written during the run.
type Transect struct {
	Name  string
	Line  [][]float64 // corners of the line; flow from its left to its right side is positive
	Every float64     // s between values; 0 for each step
}

// maxPoints is the largest number of points, or of corners, of a line.
const maxPoints = 100_000

// DecodeGauges reads gauges at points of dim coordinates.
func DecodeGauges(root *Section, dim int) []Gauge {
	var gauges []Gauge
	names := map[string]bool{}
	for _, s := range root.Subs("gauge") {
		s.Units(map[string]string{"every": "s"})
		g := Gauge{Dim: dim, Every: s.Number("every", NonNegative.Or(0))}
		s.Know("at", "line", "points", "file", "name")
		s.gaugePosition(&g, dim)
		if g.File != "" {
			if s.Has("name") {
				s.Fail("name", "can be given only with at or line: the points of a file have their own names")
			}
		} else if g.Name = s.Name("name", Required); names[g.Name] && g.Name != "" {
			s.Fail("name", "%q is the name of another gauge", g.Name)
		}
		names[g.Name] = true
		if s.Know("measured"); s.Has("measured") {
			g.Measured = s.measured("measured")
			if s.Has("line") || s.Has("file") {
				s.Fail("measured", "can be given only with at: it is data at one point")
			}
		}
		s.Finish()
		gauges = append(gauges, g)
	}
	return gauges
}

// gaugePosition reads the position of a gauge.
func (s *Section) gaugePosition(g *Gauge, dim int) {
	if dim == 0 { // the section [grid] is invalid, which has been recorded
		return
	}
	givenKey := ""
	for _, key := range []string{"at", "line", "file"} {
		if s.Has(key) && givenKey != "" {
			s.Fail(key, "cannot be combined with %s: give one of them", givenKey)
			return
		} else if s.Has(key) {
			givenKey = key
		}
	}
	switch givenKey {
	case "line":
		g.Line = s.Corners("line", dim)
		g.Points = int(s.Integer("points", Needed, 2, maxPoints))
	case "file":
		if g.File = s.Text("file", Required); g.File == "" && s.IsText("file") {
			s.Fail("file", "is empty; give a file of points: .csv, .geojson or .xyz")
		}
	default:
		g.At = s.Numbers("at", dim)
	}
	if s.Has("points") && givenKey != "line" {
		s.Fail("points", "can be given only with line")
	}
}

// measured reads the name of a file, or a table with file, column and field.
func (s *Section) measured(key string) *Measured {
	sub, ok := s.Within(key)
	if !ok {
		return &Measured{File: s.Text(key, Required)}
	}
	m := &Measured{File: sub.Text("series", Required), Sheet: sub.Text("sheet", ""), Column: sub.Text("column", Required),
		Field: sub.Text("field", Required)}
	sub.Finish()
	return m
}

// String formats the value as in a case file.
func (m *Measured) String() string {
	if m.Field == "" {
		return quote(m.File)
	}
	text := "{ series = " + quote(m.File)
	if m.Sheet != "" {
		text += ", sheet = " + quote(m.Sheet)
	}
	return text + fmt.Sprintf(", column = %s, field = %s }", quote(m.Column), quote(m.Field))
}

func decodeTransects(root *Section) []Transect {
	var list []Transect
	names := map[string]bool{}
	for _, s := range root.Subs("transect") {
		s.Units(map[string]string{"every": "s"})
		t := Transect{Name: s.Name("name", Required), Line: s.Corners("line", 2),
			Every: s.Number("every", NonNegative.Or(0))}
		if names[t.Name] && t.Name != "" {
			s.Fail("name", "%q is the name of another transect", t.Name)
		}
		names[t.Name] = true
		s.Finish()
		list = append(list, t)
	}
	return list
}

// Corners returns a list of at least two points with dim finite coordinates each, no two successive ones equal; nil
// after recording a problem.
func (s *Section) Corners(key string, dim int) [][]float64 {
	v, ok := s.get(key, true)
	if !ok {
		return nil
	}
	list, _ := v.([]any)
	if len(list) < 2 || len(list) > maxPoints {
		s.Fail(key, "must be a list of at least two corners: [[x, y], [x, y]]")
		return nil
	}
	line := make([][]float64, len(list))
	for i, corner := range list {
		coordinates, _ := corner.([]any)
		for _, e := range coordinates {
			x, isNumber := toFloat(e)
			if !isNumber || x-x != 0 { // x-x is NaN if x is not finite
				coordinates = nil
				break
			}
			line[i] = append(line[i], x)
		}
		if len(coordinates) != dim {
			s.Fail(key, "must be a list of corners of %d finite numbers; corner %d is not one", dim, i+1)
			return nil
		}
		if i > 0 && fmt.Sprint(line[i]) == fmt.Sprint(line[i-1]) {
			s.Fail(key, "corner %d equals corner %d", i+1, i)
			return nil
		}
	}
	return line
}

// NamesFile reports whether a text can be a file name: up to 100 letters, digits, -, _, . and spaces, with no . or
// space at either end.
func NamesFile(name string) bool {
	forbidden := func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_. ", r))
	}
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, forbidden) && strings.Trim(name, ". ") == name
}

func (g *Gauge) print(p *Printer) {
	p.Section("[[gauge]]")
	switch {
	case g.File != "":
		p.Pair("file", g.File)
	case g.Line != nil:
		p.Pair("name", g.Name)
		p.Pair("line", g.Line)
		p.Pair("points", g.Points)
	default:
		p.Pair("name", g.Name)
		p.Pair("at", g.At)
	}
	p.Pair("every", g.Every)
	if g.Measured != nil {
		p.Pair("measured", g.Measured)
	}
}

func (t *Transect) print(p *Printer) {
	p.Section("[[transect]]")
	p.Pair("name", t.Name)
	p.Pair("line", t.Line)
	p.Pair("every", t.Every)
}
