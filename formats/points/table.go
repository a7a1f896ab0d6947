package points

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/table"
)

// titles are the accepted titles, in lower case, of the columns for x, y, z and the name.
var titles = [4][]string{{"x", "easting", "lon", "longitude"}, {"y", "northing", "lat", "latitude"},
	{"z", "height", "elevation"}, {"name", "id", "station", "gauge"}}

// parseTable reads a table whose first row has the titles of columns: x, y, in 3D z, and name, in any order. See
// package table for the separators of columns. Lines that begin with # are comments.
func parseTable(data []byte, dim int) (list []Point, err error) {
	in, err := table.New(bytes.NewReader(data))
	if err != nil {
		return nil, errorAt(1, "%v", err)
	}
	header, err := in.Next()
	if err == io.EOF {
		return nil, errorAt(1, "the file is empty, want a first row with the titles of columns, as in name,x,y")
	}
	if err != nil {
		return nil, errorAt(in.Line, "%v", err)
	}
	columns := [4]int{-1, -1, -1, -1}
	for k, names := range titles {
		columns[k] = slices.IndexFunc(header, func(h string) bool { return slices.Contains(names, strings.ToLower(h)) })
		if k < dim && columns[k] < 0 {
			return nil, errorAt(in.Line, "the first row has no title %q: %q", names[0], header)
		}
	}
	title := strings.Clone(header[columns[0]]) // rows reuse the memory
	for {
		row, err := in.Next()
		if err == io.EOF {
			return list, checkUnit(list, title)
		}
		if err != nil {
			return nil, errorAt(in.Line, "%v", err)
		}
		p := Point{Position: make([]float64, dim), Line: in.Line}
		for k := range dim {
			if p.Position[k], err = in.ParseNumber(row[columns[k]]); err != nil {
				return nil, errorAt(in.Line, "%s: %v", titles[k][0], err)
			}
		}
		if k := columns[3]; k >= 0 {
			p.Name = strings.Clone(row[k])
		}
		if len(list) == MaxPoints {
			return nil, errorAt(in.Line, "more than %d points", MaxPoints)
		}
		list = append(list, p)
	}
}

// checkUnit refuses positions in degrees: those under a title of longitudes which can all be longitudes and latitudes.
func checkUnit(list []Point, title string) error {
	if len(list) == 0 || !strings.HasPrefix(strings.ToLower(title), "lon") {
		return nil
	}
	for _, p := range list {
		if math.Abs(p.Position[0]) > 360 || math.Abs(p.Position[1]) > 90 {
			return nil
		}
	}
	return errorAt(list[0].Line, "%g, %g under the title %q are degrees, but positions must be in m: convert them to the "+
		"coordinate system of the mesh (ogr2ogr -t_srs EPSG:CODE), or call the columns x and y",
		list[0].Position[0], list[0].Position[1], title)
}
