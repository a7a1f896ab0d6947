package raster

import (
	"errors"
	"fmt"
	"strings"
)

// Stack is a list of rasters; where several have data, the last one is used.
type Stack []*Grid

// OpenAll opens rasters, each limited to the cells needed for points in a box.
func OpenAll(paths []string, o Options) (Stack, error) {
	var all Stack
	for _, path := range paths {
		g, err := Open(path, o)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
		if !o.Longitudes || o.Box.West >= g.West && o.Box.East <= g.West+float64(g.Columns)*g.Width {
			continue
		}
		for _, circle := range []float64{-360, 360} {
			part := o
			part.Box.West, part.Box.East = o.Box.West-circle, o.Box.East-circle
			g, err := Open(path, part)
			if err != nil {
				return nil, err
			}
			if g.West, g.again = g.West+circle, true; g.window.columns > 0 {
				all = append(all, g)
			}
		}
	}
	return all, nil
}

// At returns the value of the last raster that has one at a point.
func (s Stack) At(x, y float64) (float64, error) {
	var texts []string
	for k := len(s) - 1; k >= 0; k-- {
		v, err := s[k].At(x, y)
		var missing *Missing
		if err == nil || !errors.As(err, &missing) {
			return v, err
		}
		if len(s) == 1 {
			return v, err
		}
		texts = append(texts, fmt.Sprintf("%s covers %s", s[k].name, s[k].Extent()))
	}
	return 0, &Missing{fmt.Sprintf("point (%g, %g): no raster has data there: %s", x, y, strings.Join(texts, "; "))}
}
