// Package points reads positions with names: tables (.csv), GeoJSON and lines of numbers (.xyz, .txt).
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
	Name string
	At   []float64 // x, y and in space z
	Line int       // of the file, from 1; in GeoJSON the position in its list of features
}

// MaxPoints is how many a file may have.
const MaxPoints = 1_000_000

// Read reads a file of points of so many coordinates, by the extension of its name. What has no name is numbered from
// 1 in the order of the file, behind the base name of the file and "-". Errors start with path and line.
func Read(path string, dim int) ([]Point, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(data, path, dim)
}

// Parse is Read of a file that was read already.
func Parse(data []byte, path string, dim int) (list []Point, err error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".csv":
		list, err = table(data, dim)
	case ".geojson", ".json":
		list, err = features(data, dim)
	case ".xyz", ".txt":
		list, err = numbers(data, dim)
	default:
		return nil, fmt.Errorf("%s: points are read from .csv, .geojson and .xyz files; others are converted by "+
			"ogr2ogr points.geojson %s", path, filepath.Base(path))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s%w", path, err)
	case len(list) == 0:
		return nil, fmt.Errorf("%s: has no points", path)
	}
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	for i := range list {
		if list[i].Name == "" {
			list[i].Name = base + "-" + strconv.Itoa(i+1)
		}
	}
	return list, nil
}

// at makes an error begin with a line.
func at(line int, format string, args ...any) error {
	return fmt.Errorf(":%d: %s", line, fmt.Sprintf(format, args...))
}

// number reads one that is finite.
func number(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil && v-v == 0
}
