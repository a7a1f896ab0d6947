package points

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// feature is one of GeoJSON, or a collection of some (RFC 7946).
type feature struct {
	Type       string
	Features   []feature
	Properties map[string]any
	Geometry   *struct {
		Type        string
		Coordinates []float64
	}
}

// features reads points with the property name or id. Geometries other than points are refused.
func features(data []byte, dim int) ([]Point, error) {
	var all feature
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, wrongJSON(data, err)
	}
	list := all.Features
	switch all.Type {
	case "FeatureCollection":
	case "Feature":
		list = []feature{all}
	default:
		return nil, fmt.Errorf(": is of type %.40q; a FeatureCollection of points is needed", all.Type)
	}
	if len(list) > MaxPoints {
		return nil, fmt.Errorf(": more than %d points", MaxPoints)
	}
	points := make([]Point, 0, len(list))
	for i, f := range list {
		switch {
		case f.Geometry == nil || f.Geometry.Type != "Point":
			return nil, fmt.Errorf(": feature %d is no point", i+1)
		case len(f.Geometry.Coordinates) < dim:
			return nil, fmt.Errorf(": feature %d has %d coordinates, and %d are needed", i+1, len(f.Geometry.Coordinates), dim)
		}
		p := Point{At: f.Geometry.Coordinates[:dim], Line: i + 1}
		for _, key := range titles[3] {
			if name, found := f.Properties[key]; found && name != nil {
				p.Name = fmt.Sprint(name)
				break
			}
		}
		points = append(points, p)
	}
	return points, nil
}

// wrongJSON tells the line of what is wrong with a text.
func wrongJSON(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(len(data))
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		return at(1+bytes.Count(data[:min(kind.Offset, offset)], []byte("\n")),
			"%s is %s where a point has something else: GeoJSON of points is needed", kind.Field, kind.Value)
	}
	return at(1+bytes.Count(data[:offset], []byte("\n")), "%v", err)
}
