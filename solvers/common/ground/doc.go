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

// Clip returns the part of the segment from a to b that is inside a triangle, whose corners are counterclockwise: from
// and to are shares of the way. Without such a part from is not below to.
func (t *Triangle) Clip(a, b Point) (from, to float64) {
	from, to = 0, 1
	for k := range t {
		p, q := t[k], t[(k+1)%3]
		side := func(x Point) float64 { return (q[0]-p[0])*(x[1]-p[1]) - (q[1]-p[1])*(x[0]-p[0]) }
		switch start, end := side(a), side(b); {
		case start <= 0 && end <= 0:
			return 0, 0
		case start < 0:
			from = max(from, start/(start-end))
		case end < 0:
			to = min(to, start/(start-end))
		}
	}
	return from, to
}
