// Package coordinates tells what the coordinates of a case of shallow water are: lengths in a plane, in m, or
// longitudes and latitudes on the earth, in degrees, if its crs is a system in degrees.
package coordinates

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
)

// Geographic reports whether the coordinates of a case are longitudes and latitudes.
func Geographic(c *config.Case) bool { return epsg.Geographic(c.EPSG()) }

// Check refuses a coordinate reference system without horizontal coordinates, and returns notes about one in another
// unit than m or degrees, which are the units of the solver, and one that stretches lengths.
func Check(c *config.Case) (notes []string, err error) {
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
	case "", "m", "degree":
	default:
		notes = append(notes, fmt.Sprintf("crs: the unit of coordinates in %s is %s, but they are taken as m: convert mesh "+
			"and rasters to a system in m", c.CRS, unit))
	}
	return notes, nil
}

// CheckPart refuses vertices of a part that are not on the earth, or at the poles, and cells that go around it.
func CheckPart(c *config.Case, part *mesh.Part) error {
	if !part.Geographic {
		return nil
	}
	for i := range part.Cells {
		x, y := part.Vertices(i)
		for k := range x {
			switch {
			case !(math.Abs(y[k]) <= sphere.MostLatitude):
				return fmt.Errorf("[mesh] cell %d has a vertex at (%g, %g): by crs = %q these are a longitude and a latitude in "+
					"degrees, and latitudes are between -%g and %[5]g: a mesh in m needs a crs in m, or none, and one with "+
					"latitudes first has x and y interchanged", part.Global[i], x[k], y[k], c.CRS, sphere.MostLatitude)
			case !(math.Abs(x[k]) <= 720):
				return fmt.Errorf("[mesh] cell %d has a vertex at (%g, %g): by crs = %q these are a longitude and a latitude in "+
					"degrees: a mesh in m needs a crs in m, or none", part.Global[i], x[k], y[k], c.CRS)
			}
		}
		if wide := max(x[0], x[1], x[2]) - min(x[0], x[1], x[2]); wide > 90 {
			x, y := part.Centroid(i)
			return fmt.Errorf("[mesh] cell %d at (%g, %g) is %g degrees wide: longitudes must be continuous, as from 170 to "+
				"190 across the 180th meridian, not jump to -170", part.Global[i], x, y, wide)
		}
	}
	return nil
}

// NoteDegrees returns a note about a mesh in the plane whose coordinates are probably degrees: they are in the range of
// longitudes and latitudes, and in m the bed is deeper, or higher, than the mesh is wide; "" else. depth is that of the
// bed in the cells of the part, m. All ranks call it.
func NoteDegrees(ctx context.Context, comm dist.Comm, c *config.Case, part *mesh.Part, depth []float64) (string,
	error) {
	most := []float64{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), 0}
	for i := range part.Owned {
		xs, ys := part.Vertices(i)
		for k := range xs {
			for n, v := range []float64{xs[k], -xs[k], ys[k], -ys[k]} {
				most[n] = max(most[n], v)
			}
		}
		most[4] = max(most[4], math.Abs(depth[i]))
	}
	if err := comm.AllreduceFloat64(ctx, dist.Max, most); err != nil {
		return "", err
	}
	east, west, north, south := most[0], -most[1], most[2], -most[3]
	if part.Geographic || c.EPSG() != 0 || east > 360 || west < -360 || north > 90 || south < -90 ||
		most[4] < 2*max(east-west, north-south) {
		return "", nil
	}
	return fmt.Sprintf(`[mesh] x from %g to %g and y from %g to %g are taken as m, and the bed is up to %.4g m deep or `+
		`high: if they are longitudes and latitudes, the case needs crs = "EPSG:4326"`, west, east, south, north,
		most[4]), nil
}
