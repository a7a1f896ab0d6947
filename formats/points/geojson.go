package points

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// feature is a Feature or FeatureCollection of GeoJSON (RFC 7946).
type feature struct {
	Type       string
	Features   []feature
	Properties map[string]any
	Geometry   *struct {
		Type        string
		Coordinates []float64
	}
}

// parseFeatures reads points, with their names in the property name, id, station or gauge. A geometry that is not a
// point is an error.
func parseFeatures(data []byte, dim int) ([]Point, error) {
	var document feature
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, jsonError(data, err)
	}
	list := document.Features
	switch document.Type {
	case "FeatureCollection":
	case "Feature":
		list = []feature{document}
	default:
		return nil, fmt.Errorf(": the type is %.40q, want a FeatureCollection of points", document.Type)
	}
	if len(list) > MaxPoints {
		return nil, fmt.Errorf(": more than %d points", MaxPoints)
	}
	points := make([]Point, 0, len(list))
	for i, f := range list {
		switch {
		case f.Geometry == nil || f.Geometry.Type != "Point":
			return nil, fmt.Errorf(": feature %d is not a point", i+1)
		case len(f.Geometry.Coordinates) < dim:
			return nil, fmt.Errorf(": feature %d has %d coordinates, want %d", i+1, len(f.Geometry.Coordinates), dim)
		}
		p := Point{Position: f.Geometry.Coordinates[:dim], Line: i + 1} // the number of the feature
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

// jsonError adds the line to an error of package json.
func jsonError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(len(data))
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		return errorAt(1+bytes.Count(data[:min(kind.Offset, offset)], []byte("\n")),
			"%s is a %s, want GeoJSON of points", kind.Field, kind.Value)
	}
	return errorAt(1+bytes.Count(data[:offset], []byte("\n")), "%v", err)
}
