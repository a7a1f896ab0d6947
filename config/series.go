package config

import (
	"math"

	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/config/literal"
)

// Series tells where a number that may depend on time comes from. One of Expr, File and
// Driven is set.
type Series struct {
	Expr    string // number or expression over t
	File    string // CSV with a header, whose first column is the time in s, or another table; relative to the case file
	Sheet   string // of an Excel workbook; "" for the only one
	Column  string // header of the column with the values; "" for the second column
	Formula string // expression over the columns of the file that gives the values, instead of Column; "" for none
	Hold    bool   // before the first and after the last row, use their values
	Steps   bool   // each value holds until the next row; without it the series is linear between rows
	Tidal   bool   // the file has harmonic constants of the tide, which give the level
	Unit    string // of the values; that of a file is converted to it. "" if it is not known

	Driven             bool // the driver of a run sets the number (run/drive), from Least to Most; until then it is Start
	Start, Least, Most float64

	Program *expr.Program // the compiled Expr; nil without one
	bound   Bound         // of the number
}

// Series reads a number that may depend on time. A constant must be within the bound, and may have a unit.
func (s *Section) Series(key string, b Bound) Series {
	v, ok := s.get(key, true)
	s.declare(Key{Name: key, Kind: Expression})
	if !ok {
		return Series{}
	}
	r := Series{Unit: s.units[key]}
	switch v := s.converted(key, v).(type) {
	case string:
		r.Expr = v
	case int64, float64:
		n, _ := toFloat(v)
		r.Expr = printValue(n)
	case map[string]any:
		_, r.Driven = v["driven"]
		_, r.Tidal = v["constituents"]
		r.bound = b
		s.Table(key, r.keys)
		return r
	default:
		s.wrong(key, v, `a number, an expression over t, { series = "…" } or { driven = …, most = … }`)
		return r
	}
	var err error
	if r.Program, err = expr.Compile(r.Expr); err != nil {
		s.Fail(key, "%v", err)
		return r
	}
	for _, coordinate := range []string{"x", "y", "z"} {
		if r.Program.Mentions(coordinate) {
			s.Fail(key, "depends on %s; write an expression over t only", coordinate)
			return r
		}
	}
	if !r.Program.Mentions("t") {
		if v, ok := r.Program.Constant(); !ok || !b.Accepts(v) {
			s.Fail(key, "%s must be %v", r.Expr, b)
		}
	}
	return r
}

// keys declares the keys of a table that names a file, or of one of a number that a driver sets.
func (r *Series) keys(key func(*Spec)) {
	switch {
	case r.Driven:
		r.drivenKeys(key)
	case r.Tidal && r.Unit == tidalUnit:
		r.tidalKey(key)
		r.sheetKey(key)
	default:
		r.FileKeys(key)
	}
}

func (r *Series) allKeys(key func(*Spec)) {
	r.FileKeys(key)
	r.drivenKeys(key)
	if r.Unit == tidalUnit {
		r.tidalKey(key)
	}
}

// FileKeys declares the keys of a table that names a file.
func (r *Series) FileKeys(key func(*Spec)) {
	key(Phrase("series", &r.File, Required, "a text file with a header, a sheet of a workbook, or NetCDF").
		Check(func(s *Section) {
			if s.Has("series") && r.File == "" {
				s.Fail("series", "is empty; give a CSV file or another table")
			}
		}))
	r.sheetKey(key)
	key(Phrase("column", &r.Column, "", "title of the column, or name of the variable").IfSet().
		Otherwise("the second column"))
	key(Phrase("formula", &r.Formula, "", "instead of `column`: an expression over the columns and t").IfSet().
		When(r.Column == "", "cannot be combined with column: it names columns itself"))
	key(Flag("hold", &r.Hold, false, "the first and the last value hold before and after the rows").IfSet())
	key(Flag("steps", &r.Steps, false, "each value holds until the next row").IfSet())
}

func (r *Series) sheetKey(key func(*Spec)) {
	key(Phrase("sheet", &r.Sheet, "", "of a workbook with several").IfSet().Otherwise("the only one"))
}

// tidalUnit is that of levels, to which harmonic constants belong.
const tidalUnit = "m"

func (r *Series) tidalKey(key func(*Spec)) {
	key(Phrase("constituents", &r.File, Required, "of levels, instead of `series`: a table of harmonic constants of the "+
		"tide: see [tides](#tides)").Otherwise("none"))
}

func (r *Series) drivenKeys(key func(*Spec)) {
	r.Least = r.bound.Least
	b := Bound{Least: r.Least, Most: r.bound.Most}
	key(Real("driven", r.Unit, &r.Start, b, "instead of `series`: a number that the driver of a run sets; until then it "+
		"is this").Range(" ").Otherwise("none"))
	if r.Driven {
		b.Least = r.Start
	}
	key(Real("most", r.Unit, &r.Most, b, "with `driven`: the largest number that it sets").Range(" ").Otherwise("none"))
}

// Any accepts all finite numbers.
var Any = Bound{Least: -math.MaxFloat64, Most: math.MaxFloat64}

// String formats the value as in a case file.
func (r Series) String() string {
	if r.Driven || r.File != "" {
		return printValue(InlineOf(r.keys))
	}
	return literal.Text(r.Expr)
}
