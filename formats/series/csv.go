package series

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Decode reads a column of a CSV file whose first row has the titles of columns. Its first column is the time, which
// must increase: in s, or as a date that parseDate converts. The column "" is the second one. Lines that start with #
// are comments. Errors start with name and line.
func Decode(r io.Reader, name, column string, parseDate Dates) ([]Row, error) {
	in := csv.NewReader(r)
	in.Comment, in.TrimLeadingSpace, in.ReuseRecord = '#', true, true
	fail := func(format string, args ...any) error {
		line, _ := in.FieldPos(0)
		return fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	header, err := in.Read()
	if err != nil {
		return nil, csvError(name, err)
	}
	if len(header) < 2 {
		return nil, fail("a series needs a column for the time and a column for values, separated by commas")
	}
	if _, err := strconv.ParseFloat(strings.TrimSpace(header[0]), 64); err == nil {
		return nil, fail("the first row must have the titles of columns, as in t,%s", cmp.Or(column, "value"))
	}
	index := 1
	if column != "" {
		if index = slices.IndexFunc(header, func(h string) bool { return strings.TrimSpace(h) == column }); index < 1 {
			return nil, fail("there is no column %q: want one of %q", column, header[1:])
		}
	}
	var rows []Row
	for {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, csvError(name, err)
		}
		var v [2]float64
		for k, field := range []string{record[0], record[index]} {
			field = strings.TrimSpace(field)
			v[k], err = strconv.ParseFloat(field, 64)
			if err != nil && k == 0 && strings.Contains(field, "-") {
				if v[k], err = parseDate(field); err != nil {
					return nil, fail("%v", err)
				}
			}
			if err != nil || math.IsNaN(v[k]) || math.IsInf(v[k], 0) {
				return nil, fail("%.40q is not a finite number", field)
			}
		}
		if n := len(rows); n > 0 && v[0] <= rows[n-1].T {
			return nil, fail("time %g s follows %g s: want increasing times", v[0], rows[n-1].T)
		}
		if len(rows) == MaxRows {
			return nil, fail("a series can have at most %d rows", MaxRows)
		}
		rows = append(rows, Row{v[0], v[1]})
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: a series needs at least one row of numbers", name)
	}
	return rows, nil
}

// columns returns the titles of a CSV file's columns, without the first.
func columns(r io.Reader, name string) ([]string, error) {
	in := csv.NewReader(r)
	in.Comment, in.TrimLeadingSpace = '#', true
	header, err := in.Read()
	if err != nil {
		return nil, csvError(name, err)
	}
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	return header[1:], nil
}

// csvError adds name and line to an error of package csv.
func csvError(name string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d: %w", name, p.Line, p.Err)
	}
	if err == io.EOF {
		return fmt.Errorf("%s: the file is empty, want a row of titles and rows of numbers", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}
