// Package contour extracts the zero contour of values at the nodes of a grid, as line segments in the plane and
// triangles in space. Each cell is divided into simplices (two triangles of a rectangle, six tetrahedra of a box, the
// same in all cells), in which the values are linear. So the contour has no gaps, and no edge belongs to more than
// two triangles, which marching cubes does not guarantee.
package contour

import "github.com/atoll-hpc/atoll/internal/parallel"

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

// builder is the part of a Surface under construction in some layers of cells across the last axis.
type builder struct {
	*Nodes
	Surface
	known map[int64]int32 // indices of points by their id
}

// Surface returns the zero contour.
func (n *Nodes) Surface() *Surface {
	const fewCells = 20_000 // the fewest cells for which a thread is worth its cost
	layers := n.N[n.Dim-1] - 1
	cells := layers * (n.N[0] - 1)
	if n.Dim == 3 {
		cells *= n.N[1] - 1
	}
	parts := make([]builder, parallel.Parts(layers, fewCells*layers/max(1, cells)))
	parallel.Ranges(layers, len(parts), func(part, lo, hi int) {
		w := &parts[part]
		w.Nodes, w.known = n, map[int64]int32{}
		w.cutLayers(lo, hi)
	})
	whole := &parts[0]
	for k := range parts[1:] {
		whole.join(&parts[1+k])
	}
	return &whole.Surface
}

// cutLayers cuts the cells in the layers [lo, hi) across the last axis.
func (w *builder) cutLayers(lo, hi int) {
	first, end := [3]int{}, [3]int{w.N[0] - 1, w.N[1] - 1, max(1, w.N[2]-1)}
	first[w.Dim-1], end[w.Dim-1] = lo, hi
	corners := 1 << w.Dim
	for k := first[2]; k < end[2]; k++ {
		for j := first[1]; j < end[1]; j++ {
			var rows [4][]float64 // of nodes along x, by the bits of y and z of the cells' corners
			for bits := range corners / 2 {
				at := w.index(0, j+bits&1, k+bits>>1)
				rows[bits] = w.Values[at : at+w.N[0]]
			}
			left := negative(rows[:corners/2], 0)
			for i := range w.N[0] - 1 {
				right := negative(rows[:corners/2], i+1)
				inside := left | right<<1 // a bit for each corner
				if left = right; inside == 0 || inside == 1<<corners-1 {
					continue
				}
				for _, s := range simplices[w.Dim] {
					w.cut([3]int{i, j, k}, s, inside)
				}
			}
		}
	}
}

// negative returns an integer whose bit 2n is set if the i-th value of row n is negative.
func negative(rows [][]float64, i int) int {
	bits := 0
	for n, row := range rows {
		if row[i] < 0 {
			bits |= 1 << (2 * n)
		}
	}
	return bits
}

// join appends the contour in the next layers.
func (w *builder) join(next *builder) {
	ids := make([]int32, len(next.ID))
	for k, id := range next.ID {
		p, known := w.known[id]
		if !known {
			p = int32(len(w.ID))
			w.known[id] = p
			w.ID, w.Points = append(w.ID, id), append(w.Points, next.Points[3*k:3*k+3]...)
		}
		ids[k] = p
	}
	for _, p := range next.Simplices {
		w.Simplices = append(w.Simplices, ids[p])
	}
}

func (n *Nodes) index(i, j, k int) int { return i + n.N[0]*(j+n.N[1]*k) }
