package points

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// titles are the names of columns, in lower case, that hold a coordinate; the last is of names.
var titles = [4][]string{{"x", "easting", "lon", "longitude"}, {"y", "northing", "lat", "latitude"},
	{"z", "height", "elevation"}, {"name", "id", "station", "gauge"}}

// table reads a CSV file whose first row names the columns: x, y, in space z, and name, in any order. Lines that begin
// with # are comments.
func table(data []byte, dim int) (list []Point, err error) {
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\uFEFF"))))
	in.Comment, in.TrimLeadingSpace = '#', true
	header, err := in.Read()
	if err != nil {
		return nil, wrongTable(err)
	}
	line, _ := in.FieldPos(0)
	columns := [4]int{-1, -1, -1, -1}
	for k, names := range titles {
		columns[k] = slices.IndexFunc(header, func(h string) bool {
			return slices.Contains(names, strings.ToLower(strings.TrimSpace(h)))
		})
		if k < dim && columns[k] < 0 {
			return nil, at(line, "the first row names no column %q: %q", names[0], header)
		}
	}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, wrongTable(err)
		}
		line, _ = in.FieldPos(0)
		p := Point{At: make([]float64, dim), Line: line}
		for k := range dim {
			var ok bool
			if p.At[k], ok = number(row[columns[k]]); !ok {
				return nil, at(line, "%s is %.40q, which is no finite number", titles[k][0], row[columns[k]])
			}
		}
		if k := columns[3]; k >= 0 {
			p.Name = strings.TrimSpace(row[k])
		}
		if len(list) == MaxPoints {
			return nil, at(line, "more than %d points", MaxPoints)
		}
		list = append(list, p)
	}
}

// wrongTable tells what a reader of CSV found.
func wrongTable(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return at(p.Line, "%v", p.Err)
	}
	return at(1, "is empty; needed is a first row that names the columns, as in name,x,y")
}
