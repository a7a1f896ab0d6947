// Package features reads what geographic information systems call vector features: points, lines and polygons with
// properties, from GeoJSON (.geojson, .json) and Shapefile (.shp, with .dbf and .prj beside it). Read returns a File.
package features

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Kind is a kind of geometry.
type Kind uint8

// The kinds of geometries.
const (
	Points Kind = iota
	Lines
	Polygons
)

func (k Kind) String() string { return [...]string{"point", "line", "polygon"}[k] }

// Position is a point with a height, which is NaN if the file has none.
type Position struct{ X, Y, Z float64 }

// Feature is a geometry with properties.
type Feature struct {
	Kind Kind
	// Parts are the points, each a part of its own, the lines, or the rings of the polygons. Rings are closed: the last
	// position is the first one. Holes are rings too: a position is inside if it is inside an odd number of rings.
	Parts      [][]Position
	Properties map[string]any // float64, string or bool
	Number     int            // in the file, from 1
}

// File is the content of a file.
type File struct {
	Path     string
	EPSG     int    // code of the coordinate reference system; 0 if the file does not say it
	Unit     string // of coordinates: m, degree, foot …; "" if the file does not say it
	Features []Feature
}

// Bounds of what is read.
const (
	maxBytes     = 1 << 30
	maxPositions = 20_000_000
)

// Read reads a file; the extension of its name determines the format. Errors start with the path, and have the number
// of the feature, from 1, or the line of a syntax error.
func Read(path string) (*File, error) {
	f := &File{Path: path}
	var err error
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".geojson", ".json":
		var data []byte
		if data, err = readBounded(path); err == nil {
			err = f.parseGeoJSON(data)
		}
	case ".shp":
		err = f.readShapefile(path)
	default:
		return nil, fmt.Errorf("%s: want a file .geojson, .json or .shp; ogr2ogr lines.geojson %s converts other formats",
			path, filepath.Base(path))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(f.Features) == 0:
		return nil, fmt.Errorf("%s: the file has no features", path)
	}
	return f, nil
}

func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxBytes {
		return nil, fmt.Errorf("it has %d bytes, more than the %d that are read", info.Size(), maxBytes)
	}
	return os.ReadFile(path)
}

// Name returns the property name or id, or "".
func (f *Feature) Name() string {
	for _, key := range []string{"name", "id"} {
		if v := f.property(key); v != nil {
			if text := strings.TrimSpace(fmt.Sprint(v)); text != "" {
				return text
			}
		}
	}
	return ""
}

// Value returns a property that is a finite number, or a text of one; found is false if the feature does not have the
// property or it is empty. Names are compared without regard to case, since Shapefiles often have upper case.
func (f *Feature) Value(key string) (v float64, found bool, err error) {
	switch value := f.property(key).(type) {
	case nil:
		return 0, false, nil
	case float64:
		v = value
	case string:
		if strings.TrimSpace(value) == "" {
			return 0, false, nil
		}
		if v, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil {
			return 0, false, fmt.Errorf("feature %d: %s = %.40q is not a number", f.Number, key, value)
		}
	default:
		return 0, false, fmt.Errorf("feature %d: %s = %v is not a number", f.Number, key, value)
	}
	if v-v != 0 {
		return 0, false, fmt.Errorf("feature %d: %s = %v is not finite", f.Number, key, v)
	}
	return v, true, nil
}

// Text returns a property as a text, "" if there is none.
func (f *Feature) Text(key string) string {
	if v := f.property(key); v != nil {
		return strings.TrimSpace(fmt.Sprint(v))
	}
	return ""
}

func (f *Feature) property(key string) any {
	if v, found := f.Properties[key]; found {
		return v
	}
	for name, v := range f.Properties {
		if strings.EqualFold(name, key) {
			return v
		}
	}
	return nil
}

// add appends a feature, of which it checks the geometry.
func (f *File) add(x Feature) error {
	for i, part := range x.Parts {
		for _, p := range part {
			if p.X-p.X != 0 || p.Y-p.Y != 0 || math.IsInf(p.Z, 0) {
				return fmt.Errorf("feature %d: a coordinate is not finite", x.Number)
			}
		}
		least := [...]int{1, 2, 4}[x.Kind]
		if x.Kind == Polygons && len(part) > 0 && part[0] != part[len(part)-1] {
			if a, b := part[0], part[len(part)-1]; a.X != b.X || a.Y != b.Y {
				return fmt.Errorf("feature %d: ring %d of the polygon does not end where it begins", x.Number, i+1)
			}
		}
		if len(part) < least {
			return fmt.Errorf("feature %d: part %d of the %s has %d positions, want %d or more", x.Number, i+1, x.Kind,
				len(part), least)
		}
	}
	f.Features = append(f.Features, x)
	return nil
}
