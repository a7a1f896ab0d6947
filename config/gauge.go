package config

import (
	"fmt"
	"strings"
	"unicode"
)

// Gauge is a section [[gauge]]: points whose values are written in the course of the run. One of At, Line and File is
// set.
type Gauge struct {
	Name   string      // of its file, and with a number of those of a line; "" with File
	At     []float64   // x, y and in space z in m
	Line   [][]float64 // corners of a line along which the points are, evenly; its ends are two of them
	Points int         // how many of them
	File   string      // of points with names: CSV, GeoJSON or XYZ
	Dim    int         // coordinates of each
	Every  float64     // s between values; 0 for each step

	Measured *Measured // at one point, nil for nothing
}

// Measured is what was measured at a gauge, to which its values are compared.
type Measured struct {
	File   string // CSV as of a Series, or NetCDF; relative to the case file
	Column string // of the file, of the
	Field  string // that it is of; "" for both: all columns that are named as what the gauge has
}

// Transect is a section [[transect]]: a line in the plane, what flows through which is written in the course of the
// run.
type Transect struct {
	Name  string
	Line  [][]float64 // its corners; what flows from its left to its right counts as positive
	Every float64     // s between values; 0 for each step
}

// mostPoints is how many points a line may have, and of how many corners it may be.
const mostPoints = 100_000

// DecodeGauges reads gauges at points of so many coordinates.
func DecodeGauges(root *Section, dim int) []Gauge {
	var gauges []Gauge
	names := map[string]bool{}
	for _, s := range root.Subs("gauge") {
		g := Gauge{Dim: dim, Every: s.Number("every", NonNegative.Or(0))}
		s.Know("at", "line", "points", "file", "name")
		s.gaugePlaces(&g, dim)
		if g.File != "" {
			if s.Has("name") {
				s.Fail("name", "belongs to at or line: the points of a file have names of their own")
			}
		} else if g.Name = s.Name("name", Required); names[g.Name] && g.Name != "" {
			s.Fail("name", "%q is another gauge's already", g.Name)
		}
		names[g.Name] = true
		if s.Know("measured"); s.Has("measured") {
			g.Measured = s.measured("measured")
			if s.Has("line") || s.Has("file") {
				s.Fail("measured", "belongs to at: it is of one point")
			}
		}
		s.Finish()
		gauges = append(gauges, g)
	}
	return gauges
}

// gaugePlaces reads where a gauge is.
func (s *Section) gaugePlaces(g *Gauge, dim int) {
	if dim == 0 {
		return
	}
	given := ""
	for _, key := range []string{"at", "line", "file"} {
		if s.Has(key) && given != "" {
			s.Fail(key, "cannot be with %s: give one of them", given)
			return
		} else if s.Has(key) {
			given = key
		}
	}
	switch given {
	case "line":
		g.Line = s.Corners("line", dim)
		g.Points = int(s.Integer("points", Needed, 2, mostPoints))
	case "file":
		if g.File = s.Text("file", Required); g.File == "" && s.IsText("file") {
			s.Fail("file", "is empty; give a file of points: .csv, .geojson or .xyz")
		}
	default:
		g.At = s.Numbers("at", dim)
	}
	if s.Has("points") && given != "line" {
		s.Fail("points", "belongs to line")
	}
}

// measured reads a file, or a table that tells of which column and field.
func (s *Section) measured(key string) *Measured {
	sub, ok := s.Within(key)
	if !ok {
		return &Measured{File: s.Text(key, Required)}
	}
	m := &Measured{File: sub.Text("series", Required), Column: sub.Text("column", Required),
		Field: sub.Text("field", Required)}
	sub.Finish()
	return m
}

// String is how a case file has it.
func (m *Measured) String() string {
	if m.Field == "" {
		return quote(m.File)
	}
	return fmt.Sprintf("{ series = %s, column = %s, field = %s }", quote(m.File), quote(m.Column), quote(m.Field))
}

func decodeTransects(root *Section) []Transect {
	var list []Transect
	names := map[string]bool{}
	for _, s := range root.Subs("transect") {
		t := Transect{Name: s.Name("name", Required), Line: s.Corners("line", 2),
			Every: s.Number("every", NonNegative.Or(0))}
		if names[t.Name] && t.Name != "" {
			s.Fail("name", "%q is another transect's already", t.Name)
		}
		names[t.Name] = true
		s.Finish()
		list = append(list, t)
	}
	return list
}

// Corners returns a list of two or more places of so many finite numbers each, no two neighbours the same, or nil where
// it is not one.
func (s *Section) Corners(key string, dim int) [][]float64 {
	v, ok := s.get(key, true)
	if !ok {
		return nil
	}
	list, _ := v.([]any)
	if len(list) < 2 || len(list) > mostPoints {
		s.Fail(key, "must be a list of at least two corners: [[x, y], [x, y]]")
		return nil
	}
	line := make([][]float64, len(list))
	for i, corner := range list {
		of, _ := corner.([]any)
		for _, e := range of {
			x, isNumber := toFloat(e)
			if !isNumber || x-x != 0 {
				of = nil
				break
			}
			line[i] = append(line[i], x)
		}
		if len(of) != dim {
			s.Fail(key, "must be a list of corners of %d finite numbers; corner %d is not one", dim, i+1)
			return nil
		}
		if i > 0 && fmt.Sprint(line[i]) == fmt.Sprint(line[i-1]) {
			s.Fail(key, "has corner %d where corner %d is", i+1, i)
			return nil
		}
	}
	return line
}

// NamesFile reports whether a text can name a file: up to 100 letters, digits, -, _, and . and spaces within.
func NamesFile(name string) bool {
	odd := func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_. ", r))
	}
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, odd) && strings.Trim(name, ". ") == name
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
