// Package series converts the time series of case files (numbers, expressions over t, columns of CSV and NetCDF
// files, tides) to rows of time and value. Between rows a series is linear, so that kernels evaluate it with the same
// bits on every device.
package series

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/formats/series"
	"github.com/atoll-hpc/atoll/solvers/common/tide"
)

// Row is a time in s and the value at that time.
type Row = series.Row

// Constant returns a constant series.
func Constant(value float64) []Row { return []Row{{Value: value}} }

// FromCase returns the rows of a case's series from time 0 to the end of the run, a single row if it is constant, and
// those of Driven if a driver sets it. Times increase, except that two rows of the same time are a jump.
func FromCase(c *config.Case, s config.Series) ([]Row, error) {
	if s.Driven {
		return Driven(s.Start, s.Least, s.Most), nil
	}
	if s.File == "" {
		return Tabulate(s.Program, c.Time.End)
	}
	path := c.Path(s.File)
	if s.Tidal {
		level, err := tide.Level(path, s.Sheet, c.Time)
		if err != nil {
			return nil, err
		}
		return Tabulate(level, c.Time.End)
	}
	read := column
	if s.Formula != "" {
		read = formula
	}
	rows, err := read(c, s, series.Table{Path: path, Sheet: s.Sheet})
	if err != nil {
		return nil, err
	}
	first, last := rows[0].T, rows[len(rows)-1].T
	if len(rows) > 1 && first > c.Time.End {
		return nil, fmt.Errorf("%s: its times, from %g s to %g s, are all after the run, which is from 0 to %g s", path,
			first, last, c.Time.End)
	}
	if len(rows) > 1 && last < 0 && s.Hold {
		c.Note(fmt.Sprintf("%s: its times, from %g s to %g s, are all before the run: its last value holds", path, first,
			last))
	}
	if !s.Hold && (first > 0 || last < c.Time.End) {
		return nil, fmt.Errorf("%s: its times are from %g s to %g s, the run is from 0 to %g s; hold = true extends the "+
			"first and the last value", path, first, last, c.Time.End)
	}
	if s.Steps {
		rows = stepwise(rows)
	}
	return rows, nil
}

// column returns the rows of a column, in the unit of the case.
func column(c *config.Case, s config.Series, from series.Table) ([]Row, error) {
	table, err := series.Read(from, s.Column, c.Time.Seconds)
	if err != nil {
		return nil, err
	}
	notes, err := table.Convert(from.Path, s.Unit)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		c.Note(note)
	}
	return table.Complete()
}

// stepwise returns the rows of a series whose values hold until the next row.
func stepwise(rows []Row) []Row {
	all := rows[:1:1]
	for k, r := range rows[1:] {
		all = append(all, Row{T: r.T, Value: rows[k].Value}, r)
	}
	return all
}

// Tabulate samples an expression at the ends of equal intervals, and where it breaks, and halves each interval at most
// maxHalvings times.
const (
	intervals   = 1024
	maxHalvings = 14
)

// Tabulate returns rows of an expression over t from 0 to end, enough that linear interpolation is accurate to 1e-5
// of its range. At a jump there are two rows of the same time. Jumps that expr.Program.Breaks does not find are between
// rows closer than 1e-7 of the time range.
func Tabulate(p *expr.Program, end float64) ([]Row, error) {
	t := table{p: p}
	first, err := t.eval(0)
	if err != nil || !p.Mentions("t") {
		return []Row{first}, err
	}
	var ends []Row // of intervals, in pairs
	least, largest := first.Value, first.Value
	for _, r := range pieces(p.Breaks(end), end) {
		for k, at := range r.inside {
			v, err := t.eval(at)
			if err != nil {
				return nil, err
			}
			ends = append(ends, Row{T: r.ends[k], Value: v.Value})
			least, largest = min(least, v.Value), max(largest, v.Value)
		}
	}
	t.rows, t.tolerance = []Row{ends[0]}, 1e-5*max(largest-least, 1e-9*max(math.Abs(least), math.Abs(largest)))
	for k := 0; k < len(ends); k += 2 {
		if ends[k].Value != t.rows[len(t.rows)-1].Value {
			t.rows = append(t.rows, ends[k])
		}
		if err := t.refine(ends[k], ends[k+1], maxHalvings); err != nil {
			return nil, err
		}
	}
	return t.rows, nil
}

// piece is an interval of time without a break: its ends, and the times inside of it, next to them, at which the values
// are not those beyond a break.
type piece struct{ ends, inside [2]float64 }

// pieces returns the intervals between 0 and end that the breaks leave of equal intervals.
func pieces(breaks []float64, end float64) (all []piece) {
	const close = 4e-15 // as a share of the time: some units in the last place
	last := piece{}
	add := func(t float64, isBreak bool) {
		next := piece{ends: [2]float64{t}, inside: [2]float64{t}}
		last.ends[1], last.inside[1] = t, t
		if isBreak {
			last.inside[1], next.inside[0] = t*(1-close), t*(1+close)
		}
		if last.inside[0] < last.inside[1] {
			all = append(all, last)
		}
		last = next
	}
	for k := 1; k <= intervals; k++ {
		t := end * float64(k) / intervals
		for ; len(breaks) > 0 && breaks[0] < t; breaks = breaks[1:] {
			add(breaks[0], true)
		}
		isBreak := len(breaks) > 0 && breaks[0] == t
		if isBreak {
			breaks = breaks[1:]
		}
		add(t, isBreak)
	}
	return all
}

// table collects the rows of an expression.
type table struct {
	p         *expr.Program
	tolerance float64
	rows      []Row
}

func (t *table) eval(time float64) (Row, error) {
	v, err := t.p.Eval(0, 0, 0, time)
	return Row{T: time, Value: v}, err
}

// refine appends the rows after a up to b, and halves the interval at most depth times.
func (t *table) refine(a, b Row, depth int) error {
	linear := true
	var middle Row
	for _, part := range []float64{.25, .5, .75} {
		r, err := t.eval(a.T + part*(b.T-a.T))
		if err != nil {
			return err
		}
		linear = linear && math.Abs(r.Value-(a.Value+part*(b.Value-a.Value))) <= t.tolerance
		if part == .5 {
			middle = r
		}
	}
	if linear || depth == 0 || middle.T <= a.T || middle.T >= b.T {
		if len(t.rows) == series.MaxRows {
			return fmt.Errorf("expression %q changes too fast to be tabulated in %d rows up to t = %g", t.p, series.MaxRows, b.T)
		}
		t.rows = append(t.rows, b)
		return nil
	}
	if err := t.refine(a, middle, depth-1); err != nil {
		return err
	}
	return t.refine(middle, b, depth-1)
}
