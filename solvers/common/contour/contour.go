// Package contour extracts the zero contour of values at the nodes of a grid, as line segments in the plane and
// triangles in space. Each cell is divided into simplices (two triangles of a rectangle, six tetrahedra of a box, the
// same in all cells), in which the values are linear. So the contour has no gaps, and no edge belongs to more than
// two triangles, which marching cubes does not guarantee.
package contour

// Nodes are the nodes of a rank's part of a grid with their values. Ranks with adjacent parts both have the nodes
// between them.
type Nodes struct {
	Dim    int
	N      [3]int    // along each axis; 1 along z in the plane
	Values []float64 // x fastest, negative inside
	Lo     [3]int    // index of the first node in the whole grid
	Whole  [3]int    // nodes of the whole grid
	// Coordinate returns the coordinate of a node along an axis, by its index in the whole grid; in the plane
	// Coordinate(2, 0) is z.
	Coordinate func(axis, node int) float64
}

// Surface is the contour within a rank's part; it is closed except at the boundary of that part. A point has the same
// id and the same bits on all ranks that have it.
type Surface struct {
	Points []float64 // x, y, z of each
	ID     []int64   // of each point, unique in the whole grid
	// Simplices are indices of points: 2 for each segment, which has the inside on its left, or 3 for each triangle,
	// which is counter-clockwise seen from outside.
	Simplices []int32
}

// MinDistance is the least magnitude of a value, as a part of the cell size, for which contour points on different
// edges at a node stay distinct, even in float32 files of grids with a few thousand cells per axis. Smaller values give
// degenerate simplices.
const MinDistance = 0x1p-12

// simplex is a part of a cell, given by corners of the cell: bit d of a corner is its position along axis d. Each
// corner has all bits of the corners before it, so that neighbouring cells have the same edges.
type simplex struct {
	corners [4]int
	odd     bool // negative orientation
}

// simplices are all paths from the lowest to the highest corner along the axes, by dimension.
var simplices = map[int][]simplex{
	2: {{corners: [4]int{0, 1, 3}}, {corners: [4]int{0, 2, 3}, odd: true}},
	3: {
		{corners: [4]int{0, 1, 3, 7}}, {corners: [4]int{0, 2, 6, 7}}, {corners: [4]int{0, 4, 5, 7}},
		{corners: [4]int{0, 2, 3, 7}, odd: true}, {corners: [4]int{0, 1, 5, 7}, odd: true},
		{corners: [4]int{0, 4, 6, 7}, odd: true},
	},
}

// builder is a Surface under construction.
type builder struct {
	*Nodes
	Surface
	known map[int64]int32 // indices of points by their id
}

// Surface returns the zero contour.
func (n *Nodes) Surface() *Surface {
	b := &builder{Nodes: n, known: map[int64]int32{}}
	corners, layers := 1<<n.Dim, max(1, n.N[2]-1)
	for k := range layers {
		for j := range n.N[1] - 1 {
			for i := range n.N[0] - 1 {
				inside := 0 // a bit for each corner
				for bits := range corners {
					if n.Values[n.index(i+bits&1, j+bits>>1&1, k+bits>>2)] < 0 {
						inside |= 1 << bits
					}
				}
				if inside == 0 || inside == 1<<corners-1 {
					continue
				}
				for _, s := range simplices[n.Dim] {
					b.cut([3]int{i, j, k}, s, inside)
				}
			}
		}
	}
	return &b.Surface
}

func (n *Nodes) index(i, j, k int) int { return i + n.N[0]*(j+n.N[1]*k) }
