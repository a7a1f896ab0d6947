// Package sphere has the geometry of the earth, taken as a sphere, for positions that are longitudes and latitudes in
// degrees. Edges of triangles are the lines that are straight in these coordinates, such as parallels and meridians, so
// that triangles cover exactly what they cover on a map. The area of a triangle, and the normals of its edges, are
// exact integrals.
package sphere

import (
	"math"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// Radius is that of the sphere with the area of the earth (of the ellipsoid of WGS 84), m, so that areas and volumes
// are true in the mean; lengths differ from those on the ellipsoid by at most 0.6%.
const Radius = 6371007.2

const degree = math.Pi / 180

// MostLatitude is the largest latitude of a mesh: at the poles east and north are no directions.
const MostLatitude = 89.9

// Vector returns the vector, to the east and north in m, from one position to another in the plane that touches the
// sphere at a latitude.
func Vector(latitude, longitude0, latitude0, longitude1, latitude1 float64) (east, north float64) {
	return Radius * degree * math.Cos(latitude*degree) * (longitude1 - longitude0),
		Radius * degree * (latitude1 - latitude0)
}

// Edge returns the vector, to the east and north in m, that turned by 90° clockwise is the integral of the normal along
// the edge from one position to another.
func Edge(longitude0, latitude0, longitude1, latitude1 float64) (east, north float64) {
	half := (latitude1 - latitude0) / 2 * degree
	cosine := math.Cos((latitude0 + latitude1) / 2 * degree)
	return Radius * degree * (longitude1 - longitude0) * (cosine + cosine*sincLess1(half)),
		Radius * degree * (latitude1 - latitude0)
}

// Area returns the area in m² of the triangle with the given corners, negative if they are clockwise: the integral of
// -sin(latitude) over the longitude around it, less the same for the mean latitude, which is 0.
func Area(longitude, latitude [3]float64) (area float64) {
	mean := (latitude[0] + latitude[1] + latitude[2]) / 3 * degree
	for k := range longitude {
		n := (k + 1) % 3
		half := (latitude[n] - latitude[k]) / 2 * degree
		middle := (latitude[n] + latitude[k]) / 2 * degree
		rise := 2*math.Cos((middle+mean)/2)*math.Sin((middle-mean)/2) + math.Sin(middle)*sincLess1(half)
		area -= (longitude[n] - longitude[k]) * degree * rise
	}
	return Radius * Radius * area
}

// sincLess1 returns sin(x)/x - 1, without cancellation.
func sincLess1(x float64) float64 {
	if math.Abs(x) > .3 {
		return math.Sin(x)/x - 1
	}
	s := x * x
	return -s / 6 * (1 - s/20*(1-s/42*(1-s/72*(1-s/110*(1-s/156)))))
}

// Curvature returns tan(latitude)/Radius in 1/m: the angle by which the axes east and north turn for each metre to the
// east.
func Curvature(latitude float64) float64 { return math.Tan(latitude*degree) / Radius }

// Distance returns the distance between two positions along a great circle, m.
func Distance(longitude0, latitude0, longitude1, latitude1 float64) float64 {
	return Radius * angle(longitude0, latitude0, longitude1, latitude1)
}

// angle returns the angle between two positions, by haversines, which do not cancel.
func angle(longitude0, latitude0, longitude1, latitude1 float64) float64 {
	across, along := math.Sin((longitude1-longitude0)/2*degree), math.Sin((latitude1-latitude0)/2*degree)
	square := along*along + math.Cos(latitude0*degree)*math.Cos(latitude1*degree)*across*across
	return 2 * math.Asin(math.Sqrt(min(1, square)))
}

// Seen returns where a position is seen from another one: the vector, to the east and north in m at the latter, whose
// length is the distance along the great circle between them, and whose direction is that in which the great circle
// begins.
func Seen(fromLongitude, fromLatitude, longitude, latitude float64) (east, north float64) {
	from, to, turn := fromLatitude*degree, latitude*degree, (longitude-fromLongitude)*degree
	half := math.Sin(turn / 2)
	east = math.Cos(to) * math.Sin(turn)
	north = math.Sin(to-from) + 2*math.Sin(from)*math.Cos(to)*half*half
	length := math.Sqrt(east*east + north*north)
	if length == 0 {
		return 0, 0
	}
	distance := Distance(fromLongitude, fromLatitude, longitude, latitude)
	return east / length * distance, north / length * distance
}

// Near returns a longitude that is the same up to whole circles, and within half a circle of another one.
func Near(longitude, other float64) float64 { return other + math.Remainder(longitude-other, 360) }

// Degrees returns the angle of a length in m along a meridian.
func Degrees(length float64) float64 { return length / (Radius * degree) }

// Mercator returns the height, in degrees, of a latitude on Mercator's map, where longitudes are the other coordinate.
// The map is conformal: angles are those on the earth.
func Mercator(latitude float64) float64 {
	sine := math.Sin(latitude * degree)
	return portable.Log((1+sine)/(1-sine)) / 2 / degree
}

// Latitude returns the latitude at a height on Mercator's map, to the rounding of 1e-12 degrees.
func Latitude(height float64) float64 {
	return math.Round(math.Atan(portable.Sinh(height*degree))/degree*1e12) / 1e12
}

// MercatorScale returns the length, in degrees, on Mercator's map of a metre on the earth at a height there.
func MercatorScale(height float64) float64 { return portable.Cosh(height*degree) / (Radius * degree) }
