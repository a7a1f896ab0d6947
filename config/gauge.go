package config

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/atoll-hpc/atoll/config/literal"
)

// Gauge is a section [[gauge]]: points at which a run writes the solution. One of At, Line and File is set.
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
		g := Gauge{Dim: dim}
		g.keys(s.Read)
		if names[g.Name] && g.Name != "" {
			s.Fail("name", "%q is the name of another gauge", g.Name)
		}
		names[g.Name] = true
		s.Finish()
		gauges = append(gauges, g)
	}
	return gauges
}

// everyDoc is the meaning of the key every of gauges and transects.
const everyDoc = "time between rows; 0 for each step"

// keys declares the keys of the section.
func (g *Gauge) keys(key func(*Spec)) {
	key(Special(Key{Name: "name", Kind: Text, Doc: "name of the gauge and its file; the points of a line are `NAME-1`, " +
		"`NAME-2` and so on", Default: "required, but with `file`"}, g.readName,
		func() any { return given(g.File == "", g.Name) }))
	key(Special(Key{Name: "file", Kind: Text, Doc: "points with names, instead of `name`: `.csv` (a header with x, y " +
		"and name), `.geojson` (points with the property name), `.xyz` or `.txt` (x, y and name in a line)", Default: none},
		nil, func() any { return given(g.File != "", g.File) }))
	key(Special(Key{Name: "line", Doc: "the corners `[[x, y], [x, y]]` of a polyline with `points`", Default: none}, nil,
		func() any { return given(g.Line != nil, g.Line) }))
	key(Special(Key{Name: "points", Kind: Integer, Bound: Bound{Least: 2, Most: maxPoints}, Doc: "number of " +
		"equidistant points on `line`, including its ends", Default: "required with `line`"}, nil,
		func() any { return given(g.Line != nil, g.Points) }))
	key(Special(Key{Name: "at", Doc: "`[x, y]`, in three dimensions `[x, y, z]`; alternatively `line` or `file`",
		Default: none}, g.readPosition, func() any { return given(g.File == "" && g.Line == nil, g.At) }))
	key(Real("every", "s", &g.Every, NonNegative.Or(0), everyDoc))
	key(Special(Key{Name: "measured", Kind: Text, Doc: "measurements at one point, of which some may be " +
		"missing. `\"tide.csv\"`: a series as at boundaries, whose columns have the names of fields, as in `t,z`; or " +
		"`{ series = \"tide.csv\", column = \"level\", field = \"z\" }`", Default: none}, g.readMeasured,
		func() any { return given(g.Measured != nil, g.Measured) }).Within((&Measured{}).keys))
}

// none is the default of keys without which something is absent.
const none = "none"

func (g *Gauge) readName(s *Section) {
	if !s.Has("file") {
		g.Name = s.Name("name", Required)
	} else if s.Has("name") {
		s.Fail("name", "can be given only with at or line: the points of a file have their own names")
	}
}

func (g *Gauge) readMeasured(s *Section) {
	if !s.Has("measured") {
		return
	}
	if g.Measured = new(Measured); !s.Table("measured", g.Measured.keys) {
		g.Measured.File = s.Text("measured", Required)
	}
	if s.Has("line") || s.Has("file") {
		s.Fail("measured", "can be given only with at: it is data at one point")
	}
}

// readPosition reads the position of a gauge.
func (g *Gauge) readPosition(s *Section) {
	if g.Dim == 0 { // the section [grid] is invalid, which has been recorded
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
		g.Line = s.Corners("line", g.Dim)
		g.Points = int(s.Integer("points", Needed, 2, maxPoints))
	case "file":
		if g.File = s.Text("file", Required); g.File == "" && s.IsText("file") {
			s.Fail("file", "is empty; give a file of points: .csv, .geojson or .xyz")
		}
	default:
		g.At = s.Numbers("at", g.Dim)
	}
	if s.Has("points") && givenKey != "line" {
		s.Fail("points", "can be given only with line")
	}
}

// keys declares the keys of a table that names one column.
func (m *Measured) keys(key func(*Spec)) {
	key(Phrase("series", &m.File, Required, "a file as of a series"))
	key(Phrase("sheet", &m.Sheet, "", "of a workbook with several").IfSet().Otherwise("the only one"))
	key(Phrase("column", &m.Column, Required, "title of the column"))
	key(Phrase("field", &m.Field, Required, "the field that it measures"))
}

// String formats the value as in a case file.
func (m *Measured) String() string {
	if m.Field == "" {
		return literal.Text(m.File)
	}
	return printValue(InlineOf(m.keys))
}

func decodeTransects(root *Section) []Transect {
	var list []Transect
	names := map[string]bool{}
	for _, s := range root.Subs("transect") {
		var t Transect
		t.keys(s.Read)
		if names[t.Name] && t.Name != "" {
			s.Fail("name", "%q is the name of another transect", t.Name)
		}
		names[t.Name] = true
		s.Finish()
		list = append(list, t)
	}
	return list
}

// keys declares the keys of the section.
func (t *Transect) keys(key func(*Spec)) {
	key(FileName("name", &t.Name, "name of the transect and its file"))
	key(Special(Key{Name: "line", Doc: "two or more corners `[[x, y], [x, y]]`", Required: true},
		func(s *Section) { t.Line = s.Corners("line", 2) }, func() any { return t.Line }))
	key(Real("every", "s", &t.Every, NonNegative.Or(0), everyDoc))
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
	g.keys(p.Print)
}

func (t *Transect) print(p *Printer) {
	p.Section("[[transect]]")
	t.keys(p.Print)
}
