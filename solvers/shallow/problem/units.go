package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/epsg"
)

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
