package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/epsg"
)

// unitOf are the units of fields, series and conditions of boundaries by their keys in case files. Values in files that
// declare other units are converted.
var unitOf = map[string]string{
	"depth": "m", "h": "m", "h1": "m", "h2": "m", "z": "m", "z1": "m", "z2": "m",
	"u": "m/s", "v": "m/s", "u1": "m/s", "v1": "m/s", "u2": "m/s", "v2": "m/s", "manning": "s/m^(1/3)",
	"rain": "m/s", "rain_pattern": "1", "evaporation": "m/s", "infiltration": "m/s", "wind_x": "m/s", "wind_y": "m/s",
	"coriolis": "1/s", "latitude": "degree", "pressure": "Pa", "pressure_course": "1", "uplift": "m",
	"conductivity": "m/s", "suction": "m", "deficit": "1", "initial_loss": "m", "continuing_loss": "m/s",
	"curve_number": "1",
	"level":        "m", "discharge": "m2/s", "inflow": "m3/s", "radiation": "m", "incident": "m",
}

// setUnits sets the units of all values that may come from files.
func (w *Sections) setUnits() {
	for i := range w.Initial {
		w.Initial[i].Unit = unitOf[w.Initial[i].Name]
	}
	w.Physics.Manning.Unit = unitOf["manning"]
	for key, s := range w.Forcing.series() {
		if *s != nil {
			(*s).Unit = unitOf[key]
		}
	}
	for key, f := range w.Forcing.fields() {
		if *f != nil {
			(*f).Unit = unitOf[key]
		}
	}
	soil := &w.Forcing.Soil
	for _, f := range []*config.Field{soil.Conductivity, soil.Suction, soil.Deficit, soil.InitialLoss, soil.ContinuingLoss,
		soil.CurveNumber} {
		if f != nil {
			f.Unit = unitOf[f.Name]
		}
	}
	for name, given := range w.Boundary.Given {
		given.Value.Unit = unitOf[given.Kind]
		if given.Wave != nil {
			given.Wave.Unit = unitOf["incident"]
		}
		if given.Depth != nil {
			given.Depth.Unit = unitOf["depth"]
		}
		w.Boundary.Given[name] = given
	}
}

// checkCoordinates refuses a coordinate reference system in degrees, and returns a note about one in another unit of
// length than m, in which the solver takes coordinates.
func checkCoordinates(c *config.Case) (notes []string, err error) {
	switch unit := epsg.Unit(c.EPSG()); unit {
	case "", "m":
		return nil, nil
	case "degree":
		return nil, fmt.Errorf("crs: coordinates in %s are degrees, but lengths must be in m: convert mesh and rasters to a "+
			"projected system, such as UTM (gdalwarp -t_srs EPSG:CODE), and give its code", c.CRS)
	default:
		return []string{fmt.Sprintf("crs: the unit of coordinates in %s is %s, but they are taken as m: convert mesh and "+
			"rasters to a system in m", c.CRS, unit)}, nil
	}
}
