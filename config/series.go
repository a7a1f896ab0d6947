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
	Unit    string // of the values; that of a file is converted to it. "" if it is not known

	Driven             bool // the driver of a run sets the number (run/drive), from Least to Most; until then it is Start
	Start, Least, Most float64

	Program *expr.Program // the compiled Expr; nil without one
}

// Series reads a number that may depend on time. A constant must be within the bound, and may have a unit: see Units.
func (s *Section) Series(key string, b Bound) Series {
	v, ok := s.get(key, true)
	s.declare(Key{Name: key, Kind: FieldOrSeries})
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
		sub, _ := s.Within(key)
		if sub.Has("driven") {
			sub.driven(&r, b)
			return r
		}
		r.File, r.Sheet, r.Column = sub.Text("series", Required), sub.Text("sheet", ""), sub.Text("column", "")
		if r.Formula = sub.Text("formula", ""); r.Formula != "" && r.Column != "" {
			sub.Fail("formula", "cannot be combined with column: it names columns itself")
		}
		r.Hold, r.Steps = sub.Boolean("hold", false), sub.Boolean("steps", false)
		if sub.Has("series") && r.File == "" {
			sub.Fail("series", "is empty; give a CSV file or another table")
		}
		sub.Finish()
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
		if v, ok := r.Program.Constant(); !ok || !b.accepts(v) {
			s.Fail(key, "%s must be %v", r.Expr, b)
		}
	}
	return r
}

// driven reads the table of a number that a driver sets.
func (s *Section) driven(r *Series, b Bound) {
	s.units = map[string]string{"driven": r.Unit, "most": r.Unit}
	r.Driven, r.Least, r.Start = true, b.Least, s.Number("driven", Bound{Least: b.Least, Most: b.Most})
	r.Most = s.Number("most", Bound{Least: r.Start, Most: b.Most})
	s.Finish()
}

// Any accepts all finite numbers.
var Any = Bound{Least: -math.MaxFloat64, Most: math.MaxFloat64}

// String formats the value as in a case file.
func (r Series) String() string {
	if r.Driven {
		return "{ driven = " + printValue(r.Start) + ", most = " + printValue(r.Most) + " }"
	}
	if r.File == "" {
		return literal.Text(r.Expr)
	}
	text := "{ series = " + literal.Text(r.File)
	for _, pair := range [][2]string{{"sheet", r.Sheet}, {"column", r.Column}, {"formula", r.Formula}} {
		if pair[1] != "" {
			text += ", " + pair[0] + " = " + literal.Text(pair[1])
		}
	}
	if r.Hold {
		text += ", hold = true"
	}
	if r.Steps {
		text += ", steps = true"
	}
	return text + " }"
}
