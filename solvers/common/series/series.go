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

// Of returns the rows of a case's series from time 0 to end, a single row if it is constant. Times increase.
func Of(c *config.Case, s config.Series) ([]Row, error) {
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

// Tabulate samples an expression at pieces+1 equally spaced times, and halves the intervals at most `halving` times.
const (
	pieces  = 1024
	halving = 14
)

// Tabulate returns rows of an expression over t from 0 to end, enough that linear interpolation is accurate to 1e-5
// of its range. At a jump, rows are closer than 1e-7 of the time range.
func Tabulate(p *expr.Program, end float64) ([]Row, error) {
	t := table{p: p}
	first, err := t.at(0)
	if err != nil || !p.Mentions("t") {
		return []Row{first}, err
	}
	coarse := []Row{first}
	least, largest := first.Value, first.Value
	for k := 1; k <= pieces; k++ {
		r, err := t.at(end * float64(k) / pieces)
		if err != nil {
			return nil, err
		}
		coarse = append(coarse, r)
		least, largest = min(least, r.Value), max(largest, r.Value)
	}
	t.rows, t.tolerance = coarse[:1:1], 1e-5*max(largest-least, 1e-9*max(math.Abs(least), math.Abs(largest)))
	for k := range pieces {
		if err := t.between(coarse[k], coarse[k+1], halving); err != nil {
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

func (t *table) at(time float64) (Row, error) {
	v, err := t.p.Eval(0, 0, 0, time)
	return Row{T: time, Value: v}, err
}

// between appends the rows after a up to b.
func (t *table) between(a, b Row, depth int) error {
	linear := true
	var middle Row
	for _, part := range []float64{.25, .5, .75} {
		r, err := t.at(a.T + part*(b.T-a.T))
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
	if err := t.between(a, middle, depth-1); err != nil {
		return err
	}
	return t.between(middle, b, depth-1)
}
