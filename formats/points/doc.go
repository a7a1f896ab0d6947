// Package points reads named positions, such as those of gauges, from files: tables (.csv), GeoJSON (.geojson, .json)
// and lines of numbers (.xyz, .txt). Read returns the Points of a file.
package points

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Point is a position with a name.
type Point struct {
	Name     string
	Position []float64 // coordinates x, y and, in 3D, z
	Line     int       // line in the file, from 1; in GeoJSON the number of the feature
}

// MaxPoints is how many points a file may have.
const MaxPoints = 1_000_000

// Read reads points of dim coordinates from a file; the extension of its name determines the format. A point without a
// name gets the base name of the file, "-" and its number in the file, from 1. Errors start with path and line.
func Read(path string, dim int) ([]Point, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(data, path, dim)
}

// Parse is Read for the content of a file.
func Parse(data []byte, path string, dim int) (list []Point, err error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".csv":
		list, err = parseTable(data, dim)
	case ".geojson", ".json":
		list, err = parseFeatures(data, dim)
	case ".xyz", ".txt":
		list, err = parseLines(data, dim)
	default:
		return nil, fmt.Errorf("%s: want a file .csv, .geojson, .json, .xyz or .txt; ogr2ogr points.geojson %s converts "+
			"other formats", path, filepath.Base(path))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s%w", path, err)
	case len(list) == 0:
		return nil, fmt.Errorf("%s: the file has no points", path)
	}
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	for i := range list {
		if list[i].Name == "" {
			list[i].Name = base + "-" + strconv.Itoa(i+1)
		}
	}
	return list, nil
}

// errorAt returns an error that begins with ":", the number of the line, and ":", to be appended to a path.
func errorAt(line int, format string, args ...any) error {
	return fmt.Errorf(":%d: %s", line, fmt.Sprintf(format, args...))
}

// parseNumber parses a finite number.
func parseNumber(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil && v-v == 0
}
