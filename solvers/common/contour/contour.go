// Package contour finds the surface on which numbers at the nodes of a grid change their sign, as segments in the plane
// and as triangles in space. Each cell between nodes is cut into simplices (two triangles of each rectangle, six
// tetrahedra of each box, alike in all cells), in which the numbers are linear: so the surface has no gaps and no edges
// with more than two triangles whatever the numbers are, which cubes that are looked up in tables do not warrant.
package contour

// Nodes are those of a rank's part of a grid, the ones at its sides included, which other ranks have too.
type Nodes struct {
	Dim    int
	N      [3]int    // along each axis; 1 along z in the plane
	Values []float64 // x fastest, negative inside
	Lo     [3]int    // the number of the first node in the whole grid
	Whole  [3]int    // nodes of the whole grid
	// At is the coordinate of a node along an axis, by its number in the whole grid; in the plane z is At(2, 0).
	At func(axis, node int) float64
}

// Surface is closed within the grid, and ends at its sides. A point has the same number and the same bits on all ranks
// that hold it.
type Surface struct {
	Points []float64 // x, y, z of each
	ID     []int64   // of each point in the whole grid
	// Simplices are points, 2 to a segment, which has the inside on its left, or 3 to a triangle, which is seen
	// counter-clockwise from outside.
	Simplices []int32
}

// Shortest is the least size of a number, in sides of a cell, with which points on the edges that meet at a node stay
// apart, in files of float32 too where grids have some thousand cells. Numbers of less make simplices of no size.
const Shortest = 0x1p-12

// simplex is one of those that a cell is cut into, by its corners: bit d of a corner is its position along axis d. Each
// corner has the bits of those before it, so that edges are the same for all cells that they are of.
type simplex struct {
	corners [4]int
	odd     bool // the simplex is turned against the axes
}

// simplices are all paths from the lowest corner to the highest one along axes, in the plane and in space.
var simplices = map[int][]simplex{
	2: {{corners: [4]int{0, 1, 3}}, {corners: [4]int{0, 2, 3}, odd: true}},
	3: {
		{corners: [4]int{0, 1, 3, 7}}, {corners: [4]int{0, 2, 6, 7}}, {corners: [4]int{0, 4, 5, 7}},
		{corners: [4]int{0, 2, 3, 7}, odd: true}, {corners: [4]int{0, 1, 5, 7}, odd: true},
		{corners: [4]int{0, 4, 6, 7}, odd: true},
	},
}

// surfacing is a surface in the making.
type surfacing struct {
	*Nodes
	Surface
	known map[int64]int32 // points by their number
}

// Surface is where the numbers change their sign.
func (n *Nodes) Surface() *Surface {
	w := &surfacing{Nodes: n, known: map[int64]int32{}}
	all, deep := 1<<n.Dim, max(1, n.N[2]-1)
	for k := range deep {
		for j := range n.N[1] - 1 {
			for i := range n.N[0] - 1 {
				inside := 0 // a bit for each corner
				for bits := range all {
					if n.Values[n.index(i+bits&1, j+bits>>1&1, k+bits>>2)] < 0 {
						inside |= 1 << bits
					}
				}
				if inside == 0 || inside == 1<<all-1 {
					continue
				}
				for _, s := range simplices[n.Dim] {
					w.cut([3]int{i, j, k}, s, inside)
				}
			}
		}
	}
	return &w.Surface
}

func (n *Nodes) index(i, j, k int) int { return i + n.N[0]*(j+n.N[1]*k) }
