package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/epsg"
)

// checkCoordinates refuses a coordinate reference system in degrees or without horizontal coordinates, and returns
// notes about one in another unit of length than m, in which the solver takes coordinates, and one that stretches
// lengths.
func checkCoordinates(c *config.Case) (notes []string, err error) {
	const advice = "convert mesh and rasters to a projected system of the area, such as UTM (gdalwarp -t_srs " +
		"EPSG:CODE), and give its code"
	switch kind := epsg.Kind(c.EPSG()); kind {
	case epsg.Vertical:
		return nil, fmt.Errorf("crs: %s is a vertical system, of heights alone: give the code of the horizontal system of "+
			"mesh and rasters, as in \"EPSG:25832\"", c.CRS)
	case epsg.Geocentric:
		return nil, fmt.Errorf("crs: coordinates in %s are positions from the centre of the earth: %s", c.CRS, advice)
	case epsg.Stretched:
		notes = append(notes, fmt.Sprintf("crs: %s stretches lengths by 1/cos(latitude), to twice as much at 60°, so that "+
			"areas, volumes, slopes and times of travel are wrong away from the equator: %s", c.CRS, advice))
	}
	switch unit := epsg.Unit(c.EPSG()); unit {
	case "", "m":
	case "degree":
		return nil, fmt.Errorf("crs: coordinates in %s are degrees, but lengths must be in m: %s", c.CRS, advice)
	default:
		notes = append(notes, fmt.Sprintf("crs: the unit of coordinates in %s is %s, but they are taken as m: convert mesh "+
			"and rasters to a system in m", c.CRS, unit))
	}
	return notes, nil
}
