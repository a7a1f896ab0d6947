package problem

import (
	"maps"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
)

// Drag is the drag of the wind on the water.
type Drag struct {
	Law        string  // constant, or a key of dragLaws
	Constant   float64 // coefficient; 0.0013
	Most       float64 // that of a law at most; 0.0035
	AirDensity float64 // relative to the water, of the lower layer; 0.0012
}

// dragLaws are the drag coefficients at a speed of the air 10 m above the water.
var dragLaws = map[string]air.Drag[float64]{
	// J. R. Garratt, Mon. Weather Rev. 105 (1977), 915-929.
	"garratt": {Still: .75e-3, PerSpeed: .067e-3},
	// S. D. Smith, E. G. Banke, Q. J. R. Meteorol. Soc. 101 (1975), 665-673.
	"smith-banke": {Still: .63e-3, PerSpeed: .066e-3},
	// W. G. Large, S. Pond, J. Phys. Oceanogr. 11 (1981), 324-336: constant below 11 m/s.
	"large-pond": {Still: .49e-3, PerSpeed: .065e-3, Least: 1.2e-3},
}

// keys declares the keys of the drag.
func (d *Drag) keys(isWindy bool, key func(*config.Spec)) {
	const needs = "needs wind too: wind_x and wind_y, wind_x_field and wind_y_field, or storm"
	laws := append([]string{"constant"}, slices.Sorted(maps.Keys(dragLaws))...)
	key(config.OneWord("drag_law", &d.Law, "constant", laws, "how the drag coefficient of the wind depends on its speed: "+
		"see [wind](shallow-water.md#wind)").IfSet().When(isWindy, needs).Otherwise("constant"))
	constant := d.Law == "constant" || d.Law == ""
	key(config.Real("wind_drag", "", &d.Constant, config.NonNegative.Or(0.0013), "drag coefficient of the wind, if it is "+
		"constant").When(isWindy, needs).When(!isWindy || constant, "is for a constant drag: without drag_law"))
	key(config.Real("drag_most", "", &d.Most, config.NonNegative.Or(0.0035), "the drag coefficient of a `drag_law` at "+
		"most").IfSet().When(!constant, "needs a drag_law other than constant"))
	key(config.Real("air_density", "", &d.AirDensity, config.NonNegative.Or(0.0012), "density of the air relative to the "+
		"water (of the lower layer)").When(isWindy, needs))
}

// law returns the coefficient of the drag times the density of the air relative to the water.
func (d *Drag) law() air.Drag[float64] {
	law, ok := dragLaws[d.Law]
	if !ok {
		return air.Constant(d.Constant * d.AirDensity)
	}
	return air.Drag[float64]{Still: law.Still * d.AirDensity, PerSpeed: law.PerSpeed * d.AirDensity,
		Least: min(law.Least, d.Most) * d.AirDensity, Most: d.Most * d.AirDensity}
}
