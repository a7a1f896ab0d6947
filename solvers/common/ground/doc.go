// Package ground finds the values of triangles in rasters and maps that are finer than they are: means of a raster
// over a triangle (Mean), crests of lines that cross it (Crests), and classes, such as those of land cover, with tables
// of their values (Table, Cover). Results depend on the coordinates of the vertices alone, so that they are the same on
// every rank.
package ground

// Point is a position in the plane.
type Point = [2]float64

// Triangle has counter-clockwise vertices.
type Triangle [3]Point

// Centroid is the centre of mass.
func (t *Triangle) Centroid() (x, y float64) {
	return (t[0][0] + t[1][0] + t[2][0]) / 3, (t[0][1] + t[1][1] + t[2][1]) / 3
}
