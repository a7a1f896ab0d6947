package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/epsg"
)

// unitOf are the units of numbers, fields, series and conditions of boundaries by their keys in case files.
var unitOf = map[string]string{
	"depth": "m", "h": "m", "h1": "m", "h2": "m", "z": "m", "z1": "m", "z2": "m",
	"u": "m/s", "v": "m/s", "u1": "m/s", "v1": "m/s", "u2": "m/s", "v2": "m/s", "manning": "s/m^(1/3)",
	"rain": "m/s", "rain_pattern": "1", "evaporation": "m/s", "infiltration": "m/s", "wind_x": "m/s", "wind_y": "m/s",
	"coriolis": "1/s", "latitude": "degree", "pressure": "Pa", "pressure_course": "1", "uplift": "m",
	"conductivity": "m/s", "suction": "m", "deficit": "1", "initial_loss": "m", "continuing_loss": "m/s",
	"curve_number": "1",
	"gravity":      "m/s2", "dry_depth": "m", "threshold": "m", "uplift_start": "s", "uplift_end": "s",
	"water_density": "kg/m3",
	"level":         "m", "discharge": "m2/s", "inflow": "m3/s", "radiation": "m", "incident": "m",
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
