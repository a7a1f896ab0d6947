// Package constrained triangulates regions of the plane with as few triangles as possible: those of a constrained
// Delaunay triangulation of the lines that bound and cross the region.
//
//   - arrange divides the lines where they cross, meet or nearly touch. Positions are integers: multiples of a power of
//     two that is less than 1e-8 of the extent, so that the predicate of the triangulation (orient) is exact.
//   - triangulate inserts the vertices one by one (C. L. Lawson, 1977), and then the segments by flips of the edges
//     that they cross (S. W. Sloan, Computers & Structures 47 (1993) 441).
//   - Triangulate keeps the triangles inside an odd number of rings.
//
// The triangles may be long and thin: mesh/adapt makes good ones of them.
package constrained

// position is a vertex in units of the grid.
type position struct{ x, y int64 }

// orient is twice the area of the triangle a, b, c: positive if it is counter-clockwise. It is exact, since coordinates
// are below 2²⁹.
func orient(a, b, c position) int64 {
	return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x)
}

// inCircle reports whether d is inside the circle through a, b and c, which are counter-clockwise, by more than
// round-off.
func inCircle(a, b, c, d position) bool {
	ax, ay := float64(a.x-d.x), float64(a.y-d.y)
	bx, by := float64(b.x-d.x), float64(b.y-d.y)
	cx, cy := float64(c.x-d.x), float64(c.y-d.y)
	aa, bb, cc := ax*ax+ay*ay, bx*bx+by*by, cx*cx+cy*cy
	u, v, w := aa*(bx*cy-cx*by), bb*(cx*ay-ax*cy), cc*(ax*by-bx*ay)
	abs := func(x float64) float64 { return max(x, -x) }
	return u+v+w > 0x1p-48*(aa*(abs(bx*cy)+abs(cx*by))+bb*(abs(cx*ay)+abs(ax*cy))+cc*(abs(ax*by)+abs(bx*ay)))
}
