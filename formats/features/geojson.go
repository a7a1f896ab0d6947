package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// object is a Feature or FeatureCollection of GeoJSON (RFC 7946), or a geometry that is not in a feature.
type object struct {
	Type     string
	Features []json.RawMessage
	CRS      *struct {
		Properties struct{ Name string }
	}
}

type feature struct {
	Type       string
	Properties map[string]any
	Geometry   *geometry
}

type geometry struct {
	Type        string
	Coordinates json.RawMessage
	Geometries  []*geometry // of a GeometryCollection
}

// geometries are the types of geometries.
var geometries = []string{"Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", collected}

const collected = "GeometryCollection"

// single returns the geometries of a collection, and of those in it, or a geometry that is none.
func (g *geometry) single() (list []*geometry) {
	if g == nil || g.Type != collected {
		return []*geometry{g}
	}
	for _, o := range g.Geometries {
		list = append(list, o.single()...)
	}
	return list
}

// parseGeoJSON reads the features of GeoJSON. Coordinates are those of the file, whatever its system: RFC 7946 wants
// longitudes and latitudes, but most programs also write others, with or without the member crs of GeoJSON 2008.
func (f *File) parseGeoJSON(data []byte) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var document object
	if err := json.Unmarshal(data, &document); err != nil {
		return jsonError(data, err)
	}
	list := document.Features
	switch {
	case document.Type == "FeatureCollection":
	case document.Type == "Feature":
		list = []json.RawMessage{data}
	case slices.Contains(geometries, document.Type):
		list = []json.RawMessage{slices.Concat([]byte(`{"geometry":`), data, []byte("}"))}
	default:
		return fmt.Errorf("the type is %.40q, want a FeatureCollection, a Feature or a geometry", document.Type)
	}
	if document.CRS != nil {
		if err := f.setSystem(document.CRS.Properties.Name); err != nil {
			return err
		}
	}
	positions := 0
	for i, raw := range list {
		var one feature
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("feature %d: %w", i+1, err)
		}
		for _, g := range one.Geometry.single() {
			if g == nil {
				return fmt.Errorf("feature %d has no geometry", i+1)
			}
			kind, parts, err := g.parts()
			if err != nil {
				return fmt.Errorf("feature %d: %w", i+1, err)
			}
			for _, part := range parts {
				positions += len(part)
			}
			if positions > maxPositions {
				return fmt.Errorf("it has more than %d positions", maxPositions)
			}
			if err := f.add(Feature{Kind: kind, Parts: parts, Properties: one.Properties, Number: i + 1}); err != nil {
				return err
			}
		}
	}
	return nil
}

var epsgName = regexp.MustCompile(`(?i)EPSG:(?:[0-9.]*:)?([0-9]+)$`)

func (f *File) setSystem(name string) error {
	if name == "" {
		return nil
	}
	if m := epsgName.FindStringSubmatch(name); m != nil {
		code, err := strconv.Atoi(m[1])
		f.EPSG = code
		return err
	}
	if bytes.HasSuffix([]byte(name), []byte("CRS84")) {
		f.EPSG, f.Unit = 4326, "degree"
		return nil
	}
	return fmt.Errorf("the coordinate reference system is %.60q, want urn:ogc:def:crs:EPSG::CODE", name)
}

// parts returns the positions of a geometry.
func (g *geometry) parts() (kind Kind, parts [][]Position, err error) {
	decode := func(to any) error {
		if err := json.Unmarshal(g.Coordinates, to); err != nil {
			return fmt.Errorf("the coordinates of the %s are not those of one: %w", g.Type, err)
		}
		return nil
	}
	var raw [][][]float64
	switch g.Type {
	case "Point":
		var one []float64
		err = decode(&one)
		raw = [][][]float64{{one}}
	case "MultiPoint":
		var several [][]float64
		err = decode(&several)
		for _, p := range several {
			raw = append(raw, [][]float64{p})
		}
	case "LineString":
		kind = Lines
		var one [][]float64
		err = decode(&one)
		raw = [][][]float64{one}
	case "MultiLineString":
		kind = Lines
		err = decode(&raw)
	case "Polygon":
		kind = Polygons
		err = decode(&raw)
	case "MultiPolygon":
		kind = Polygons
		var several [][][][]float64
		err = decode(&several)
		for _, polygon := range several {
			raw = append(raw, polygon...)
		}
	default:
		return 0, nil, fmt.Errorf("a geometry of type %.40q is not known, want %s", g.Type, strings.Join(geometries, ", "))
	}
	if err != nil {
		return 0, nil, err
	}
	for _, line := range raw {
		part := make([]Position, len(line))
		for i, p := range line {
			if len(p) < 2 {
				return 0, nil, fmt.Errorf("a position has %d coordinates, want 2 or 3", len(p))
			}
			part[i] = Position{p[0], p[1], math.NaN()}
			if len(p) > 2 {
				part[i].Z = p[2]
			}
		}
		parts = append(parts, part)
	}
	return kind, parts, nil
}

// jsonError adds the line to an error of package json.
func jsonError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(len(data))
	text := err.Error()
	switch {
	case errors.As(err, &syntax):
		offset = min(syntax.Offset, offset)
	case errors.As(err, &kind):
		offset = min(kind.Offset, offset)
		text = fmt.Sprintf("%s is a %s, want GeoJSON", kind.Field, kind.Value)
	}
	return fmt.Errorf("line %d: %s", 1+bytes.Count(data[:offset], []byte("\n")), text)
}
