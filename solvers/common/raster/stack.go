package raster

import (
	"errors"
	"fmt"
	"strings"
)

// Stack is rasters over each other: where several have data, the last of them counts.
type Stack []*Grid

// OpenAll opens rasters, of each what points in a box need.
func OpenAll(paths []string, variable string, b Box) (Stack, error) {
	var all Stack
	for _, path := range paths {
		g, err := Open(path, variable, b)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// At is what the last raster that has a value there has.
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
		texts = append(texts, fmt.Sprintf("%s covers %s", s[k].name, s[k].extent()))
	}
	return 0, &Missing{fmt.Sprintf("point (%g, %g): no raster has data there: %s", x, y, strings.Join(texts, "; "))}
}

// Coordinates refuses rasters that say of their coordinates that they are others than those of a code; 0 takes all.
func (s Stack) Coordinates(epsg int) error {
	for _, g := range s {
		if epsg != 0 && g.EPSG != 0 && g.EPSG != epsg {
			return fmt.Errorf("%s has coordinates of EPSG:%d, and the case of EPSG:%d: gdalwarp -t_srs EPSG:%[3]d converts it",
				g.name, g.EPSG, epsg)
		}
	}
	return nil
}
