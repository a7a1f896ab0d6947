package points

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// titles are the accepted titles, in lower case, of the columns for x, y, z and the name.
var titles = [4][]string{{"x", "easting", "lon", "longitude"}, {"y", "northing", "lat", "latitude"},
	{"z", "height", "elevation"}, {"name", "id", "station", "gauge"}}

// parseTable reads a CSV file whose first row has the titles of columns: x, y, in 3D z, and name, in any order.
// Lines that begin with # are comments.
func parseTable(data []byte, dim int) (list []Point, err error) {
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\uFEFF"))))
	in.Comment, in.TrimLeadingSpace = '#', true
	header, err := in.Read()
	if err != nil {
		return nil, csvError(err)
	}
	line, _ := in.FieldPos(0)
	columns := [4]int{-1, -1, -1, -1}
	for k, names := range titles {
		columns[k] = slices.IndexFunc(header, func(h string) bool {
			return slices.Contains(names, strings.ToLower(strings.TrimSpace(h)))
		})
		if k < dim && columns[k] < 0 {
			return nil, errorAt(line, "the first row has no title %q: %q", names[0], header)
		}
	}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, csvError(err)
		}
		line, _ = in.FieldPos(0)
		p := Point{Position: make([]float64, dim), Line: line}
		for k := range dim {
			var ok bool
			if p.Position[k], ok = parseNumber(row[columns[k]]); !ok {
				return nil, errorAt(line, "%s is %.40q, want a finite number", titles[k][0], row[columns[k]])
			}
		}
		if k := columns[3]; k >= 0 {
			p.Name = strings.TrimSpace(row[k])
		}
		if len(list) == MaxPoints {
			return nil, errorAt(line, "more than %d points", MaxPoints)
		}
		list = append(list, p)
	}
}

// csvError adds the line to an error of package csv.
func csvError(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return errorAt(p.Line, "%v", p.Err)
	}
	return errorAt(1, "the file is empty, want a first row with the titles of columns, as in name,x,y")
}
