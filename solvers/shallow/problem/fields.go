package problem

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// The fields of cases with two layers, and of cases with one.
var (
	twoLayers = []solvers.Field{
		{Name: "h1", Unit: "m", Doc: "thickness of the upper layer", Mask: "h1", MaskThreshold: absentThickness,
			Ground: ground},
		{Name: "h2", Unit: "m", Doc: "thickness of the lower layer", Mask: "h2", MaskThreshold: absentThickness,
			Ground: ground},
		{Name: "z1", Unit: "m", Doc: "height of the surface above the datum", Mask: "h1", GaugeDefault: true},
		{Name: "z2", Unit: "m", Doc: "height of the interface above the datum", Mask: "h2", GaugeDefault: true},
		{Name: "u1", Unit: "m/s", Doc: "velocity of the upper layer, x-component", Mask: "h1"},
		{Name: "v1", Unit: "m/s", Doc: "velocity of the upper layer, y-component", Mask: "h1"},
		{Name: "u2", Unit: "m/s", Doc: "velocity of the lower layer, x-component", Mask: "h2"},
		{Name: "v2", Unit: "m/s", Doc: "velocity of the lower layer, y-component", Mask: "h2"},
		{Name: "depth", Unit: "m", Doc: "of the bed below the datum"},
	}
	oneLayer = []solvers.Field{
		{Name: "h", Unit: "m", Doc: "thickness of the layer", Mask: "h", MaskThreshold: thinThickness,
			Ground: ground},
		{Name: "z", Unit: "m", Doc: "height of the surface above the datum", Mask: "h", GaugeDefault: true},
		{Name: "u", Unit: "m/s", Doc: "velocity, x-component", Mask: "h"},
		{Name: "v", Unit: "m/s", Doc: "velocity, y-component", Mask: "h"},
		{Name: "depth", Unit: "m", Doc: "of the bed below the datum"},
	}
)

// maxima returns the fields of extremes since the start.
func maxima() (fields []solvers.Field) {
	for _, m := range shallow.Maxima {
		f := m.Field
		f.Mask = "max_h"
		if f.Name == f.Mask {
			f.MaskThreshold, f.Ground = filmThickness, ground
		}
		fields = append(fields, f)
	}
	return fields
}

// absentThickness returns the thickness in m up to which pictures show a layer as absent: the dry depth of the case, or
// an estimate of the solver's default.
func absentThickness(c *config.Case, start []float64) float64 {
	if c != nil {
		if s, ok := c.Sections.(*Sections); ok && s.Physics.DryDepth > 0 {
			return s.Physics.DryDepth
		}
	}
	return min(1e-5, 1e-6*meanThickness(start))
}

// thinThickness is absentThickness, but in a case with rain, where all ground has films, 5 cm, or the threshold of
// [maxima] if that is another than the default.
func thinThickness(c *config.Case, start []float64) float64 {
	const film = 0.05
	if c == nil {
		return absentThickness(c, start)
	}
	if s, ok := c.Sections.(*Sections); !ok || !s.Forcing.rains() {
		return absentThickness(c, start)
	} else if t := s.Maxima.Threshold; t > 0 && t != wetThickness {
		return t
	}
	if mean := meanThickness(start); mean > 0 {
		return min(film, mean/50)
	}
	return film
}

// ground returns the height of the bed, from the depth or a level and a thickness.
func ground(field func(name string) []float64) []float64 {
	difference := func(level, below []float64) (bed []float64) {
		for i, z := range level {
			bed = append(bed, z-below[i])
		}
		return bed
	}
	if depth := field("depth"); depth != nil {
		return difference(make([]float64, len(depth)), depth)
	}
	for _, names := range [][2]string{{"z", "h"}, {"z2", "h2"}} {
		if level, thickness := field(names[0]), field(names[1]); level != nil && thickness != nil {
			return difference(level, thickness)
		}
	}
	return nil
}

// filmThickness returns the greatest thickness in m up to which pictures of extremes show a cell as dry, so that films
// of rain are not shown as flooded: the threshold of [maxima], where that is the default at most a fiftieth of the mean
// thickness at the start.
func filmThickness(c *config.Case, start []float64) float64 {
	threshold := wetThickness
	if c != nil {
		if s, ok := c.Sections.(*Sections); ok && s.Maxima.Threshold > 0 {
			threshold = s.Maxima.Threshold
		}
	}
	if mean := meanThickness(start); threshold == wetThickness && mean > 0 {
		threshold = min(threshold, mean/50)
	}
	return max(threshold, absentThickness(c, start))
}

// meanThickness returns the mean of those thicknesses that are not 0; 0 if all are.
func meanThickness(list []float64) float64 {
	n, sum := 0, 0.0
	for _, h := range list {
		if h > 0 {
			n, sum = n+1, sum+h
		}
	}
	return sum / float64(max(n, 1))
}

// fieldsOf returns the fields for a number of layers, and their names in the solver, in which a single layer is the
// lower one.
func fieldsOf(layers int) (fields []solvers.Field, names []string) {
	if layers == 1 {
		return oneLayer, []string{"h2", "z2", "u2", "v2", "depth"}
	}
	return twoLayers, solvers.FieldNames(twoLayers)
}
