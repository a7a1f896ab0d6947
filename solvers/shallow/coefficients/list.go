package coefficients

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/meteo"
)

// Keys of coefficients that set-up reads; those that only kernels read need no name here.
const (
	Manning        = "manning"
	ManningShallow = "manning_shallow"
	DepthShallow   = "depth_shallow"
	DepthDeep      = "depth_deep"
	RainPattern    = "rain_pattern"
	Coriolis       = "coriolis"
	Latitude       = "latitude"
	Pressure       = "pressure" // of the air; in Values divided by the density of the lower layer, m²/s²
	Uplift         = "uplift"
	Curvature      = "curvature" // of the sphere: sphere.Curvature, 1/m
	Conductivity   = "conductivity"
	Suction        = "suction"
	Deficit        = "deficit"
	InitialLoss    = "initial_loss"
	ContinuingLoss = "continuing_loss"
	CurveNumber    = "curve_number"
	InitialRate    = "initial_rate"
	FinalRate      = "final_rate"
	Decay          = "decay"
)

// list declares all coefficients, in the order of their keys in the manual, with the arrays to which they go.
func list[F num.Float](to Arrays[F]) []Coefficient {
	const greenAmpt, horton = "green_ampt", "horton"
	shallows := []string{ManningShallow}
	rains, water, atLeast0 := []string{"rain", "rain_field"}, to.Forcing, config.NonNegative
	return []Coefficient{
		{Section: "physics", Key: Manning, Unit: "s/m^(1/3)", Bound: atLeast0, Default: "0", Always: true,
			Doc: "bed friction: a field, see below", Ghosts: true, array: rounded(to.Manning)},
		{Section: "physics", Key: ManningShallow, Unit: "s/m^(1/3)", Bound: config.Positive, over: Manning,
			array: byDepth(&water.Shallows), Doc: "field: bed friction of shallow water, up to `depth_shallow`; `manning` is " +
				"that of deep water then, and between both depths it changes linearly"},
		{Section: "physics", Key: DepthShallow, Unit: "m", Bound: atLeast0, Default: "0", Needs: shallows,
			Doc: "field: depth up to which `manning_shallow` holds"},
		{Section: "physics", Key: DepthDeep, Unit: "m", Bound: config.Positive, Needs: shallows, least: DepthShallow,
			Doc: "field: depth from which `manning` holds; required with `manning_shallow`"},
		{Key: RainPattern, Unit: "1", Bound: atLeast0, Default: "1", Needs: rains[:1], array: rounded(&water.Pattern),
			Doc: "field: spatial factor of the rain"},
		{Key: "infiltration", Unit: "m/s", Bound: atLeast0, Default: "0", Effect: Drains, array: rounded(&water.Infiltration),
			OneLayer: true, Doc: "field: rate of infiltration, limited by the water present; only for one layer. " +
				"Alternatively a model: `green_ampt`, `horton`, `initial_loss` or `curve_number`"},
		{Key: Coriolis, Unit: "1/s", Bound: config.Any, Default: "0", Effect: Acts, array: rounded(&water.Coriolis),
			Doc: "field: the Coriolis parameter; alternatively `latitude`"},
		{Key: Latitude, Unit: "degree", Bound: config.Any, gives: Coriolis, convert: meteo.Coriolis,
			Default: "none; `y` if the crs is in degrees", Doc: "field, from which the Coriolis parameter is computed"},
		{Key: Curvature, Unit: "1/m", Bound: config.Any, Effect: Acts, array: rounded(&water.Curvature), OfMesh: true},
		{Key: Pressure, Unit: "Pa", Bound: config.Any, Default: "0", Effect: Acts, array: computed(&water.Air.Gradient),
			Doc: "field: air pressure; its gradient accelerates the water"},
		{Key: Uplift, Unit: "m", Bound: config.Any, Default: "0", Ghosts: true, array: computed(&to.Uplift.Rises),
			Doc: "field: total rise of the bed, with the water on it; negative for subsidence"},

		{Table: greenAmpt, Key: Conductivity, Unit: "m/s", Bound: atLeast0, Default: config.Required, Effect: Drains,
			array: computed(&water.Soil), Doc: "field: saturated conductivity"},
		{Table: greenAmpt, Key: Suction, Unit: "m", Bound: atLeast0, Default: config.Required,
			Doc: "field: suction at the wetting front"},
		{Table: greenAmpt, Key: Deficit, Unit: "1", Bound: config.Bound{Most: 1}, Default: config.Required,
			Doc: "field: deficit of moisture as a share"},
		{Key: InitialLoss, Unit: "m", Bound: atLeast0, OneLayer: true, Needs: rains, Effect: Drains,
			array: computed(&water.Soil), Doc: "field: rain that is lost at first"},
		{Key: ContinuingLoss, Unit: "m/s", Bound: atLeast0, Default: "0", OneLayer: true, Needs: []string{InitialLoss},
			Doc: "field: rain that is lost after that, while it rains"},
		{Key: CurveNumber, Unit: "1", Bound: config.Bound{Least: 1, Most: 100}, OneLayer: true, Needs: rains, Effect: Drains,
			array: computed(&water.Soil), Doc: "field: the curve number (1 to 100) of the Soil Conservation Service"},
		{Table: horton, Key: InitialRate, Unit: "m/s", Bound: atLeast0, Default: config.Required, Effect: Drains,
			least: FinalRate, array: computed(&water.Soil), Doc: "field: rate that dry soil takes at first"},
		{Table: horton, Key: FinalRate, Unit: "m/s", Bound: atLeast0, Default: config.Required,
			Doc: "field: rate that it takes at last"},
		{Table: horton, Key: Decay, Unit: "1/s", Bound: config.Positive, Default: config.Required,
			Doc: "field: k of the decay exp(-kt) from the one to the other"},
	}
}
