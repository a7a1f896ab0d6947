package series

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/formats/series"
)

// formula returns rows of a formula over the columns of a table. Columns with a unit in their titles are converted to
// SI units before.
func formula(c *config.Case, s config.Series, from series.Table) ([]Row, error) {
	names, err := series.Columns(from)
	if err != nil {
		return nil, err
	}
	program, err := compile(s.Formula, names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Path, err)
	}
	used := program.Uses()
	columns, err := series.ReadAll(from, used, c.Time.Seconds)
	if err != nil {
		return nil, err
	}
	for k, column := range columns {
		if err := column.ConvertToSI(from.Path); err != nil {
			return nil, err
		}
		if _, err := column.Complete(); err != nil {
			return nil, err
		}
		if !slices.EqualFunc(column.Rows, columns[0].Rows, func(a, b Row) bool { return a.T == b.T }) {
			return nil, fmt.Errorf("%s: %s has other times than %s: a formula needs both at the same times", from.Path, used[k],
				used[0])
		}
	}
	rows, values := make([]Row, len(columns[0].Rows)), make([]float64, len(columns))
	for i := range rows {
		for k := range columns {
			values[k] = columns[k].Rows[i].Value
		}
		rows[i].T = columns[0].Rows[i].T
		if rows[i].Value, err = program.Eval(0, 0, 0, rows[i].T, values...); err != nil {
			return nil, fmt.Errorf("%s: %w", from.Path, err)
		}
	}
	return rows, nil
}

// compile compiles a formula over those columns that it uses, whose names must be those of variables.
func compile(text string, names []string) (*expr.Program, error) {
	var variables []string
	for _, name := range names {
		if expr.IsVariable(name) && !slices.Contains(variables, name) {
			variables = append(variables, name)
		}
	}
	program, err := expr.Compile(text, variables...)
	if err != nil {
		return nil, fmt.Errorf("formula: %w; columns are %q, of which %q can be in formulas", err, names, variables)
	}
	for _, coordinate := range []string{"x", "y", "z"} {
		if program.Mentions(coordinate) {
			return nil, fmt.Errorf("formula %q depends on %s; columns are %q", text, coordinate, names)
		}
	}
	if len(program.Uses()) == 0 {
		return nil, fmt.Errorf("formula %q has no column of %q", text, names)
	}
	return expr.Compile(text, program.Uses()...)
}
