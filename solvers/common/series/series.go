// Package series converts the time series of case files (numbers, expressions over t, columns of CSV and NetCDF
// files) to rows of time and value. Between rows a series is linear, so that kernels evaluate it with the same bits
// on every device.
package series

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/formats/series"
)

// Row is a time in s and the value at that time.
type Row = series.Row

// Constant returns a constant series.
func Constant(value float64) []Row { return []Row{{Value: value}} }

// FromCase returns the rows of a case's series from time 0 to the end of the run, a single row if it is constant. Times
// increase.
func FromCase(c *config.Case, s config.Series) ([]Row, error) {
	if s.File == "" {
		return Tabulate(s.Program, c.Time.End)
	}
	path := c.Path(s.File)
	rows, err := series.Read(path, s.Column, c.Time.Seconds)
	if err != nil {
		return nil, err
	}
	first, last := rows[0].T, rows[len(rows)-1].T
	if !s.Hold && (first > 0 || last < c.Time.End) {
		return nil, fmt.Errorf("%s: its times are from %g s to %g s, the run is from 0 to %g s; hold = true extends the "+
			"first and the last value", path, first, last, c.Time.End)
	}
	return rows, nil
}

// Tabulate samples an expression at the ends of equal intervals, and halves each of them at most maxHalvings times.
const (
	intervals   = 1024
	maxHalvings = 14
)

// Tabulate returns rows of an expression over t from 0 to end, enough that linear interpolation is accurate to 1e-5
// of its range. At a jump, rows are closer than 1e-7 of the time range.
func Tabulate(p *expr.Program, end float64) ([]Row, error) {
	t := table{p: p}
	first, err := t.eval(0)
	if err != nil || !p.Mentions("t") {
		return []Row{first}, err
	}
	coarse := []Row{first}
	least, largest := first.Value, first.Value
	for k := 1; k <= intervals; k++ {
		r, err := t.eval(end * float64(k) / intervals)
		if err != nil {
			return nil, err
		}
		coarse = append(coarse, r)
		least, largest = min(least, r.Value), max(largest, r.Value)
	}
	t.rows, t.tolerance = coarse[:1:1], 1e-5*max(largest-least, 1e-9*max(math.Abs(least), math.Abs(largest)))
	for k := range intervals {
		if err := t.refine(coarse[k], coarse[k+1], maxHalvings); err != nil {
			return nil, err
		}
	}
	return t.rows, nil
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
