// Package contour extracts the zero contour of values at the nodes of a grid, as line segments in the plane and
// triangles in space. Each cell is divided into simplices (two triangles of a rectangle, six tetrahedra of a box, the
// same in all cells), in which the values are linear. So the contour has no gaps, and no edge belongs to more than
// two triangles, which marching cubes does not guarantee.
package contour

import (
	"context"
	"iter"
	"runtime"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Nodes are the nodes of a rank's part of a grid with their values. Ranks with adjacent parts both have the nodes
// between them. A layer is all nodes with the same index along the last axis: a row in the plane, a plane in space.
type Nodes struct {
	Dim   int
	N     [3]int // along each axis; 1 along z in the plane
	Lo    [3]int // index of the first node in the whole grid
	Whole [3]int // nodes of the whole grid
	// Layers yields the values in the layers [first, end), one layer after the other, x fastest, negative inside. The
	// values of a layer are valid until the next layer but one is asked for. Any goroutine may call Layers.
	Layers func(first, end int) iter.Seq[[]float64]
	// Coordinate returns the coordinate of a node along an axis, by its index in the whole grid; in the plane
	// Coordinate(2, 0) is z.
	Coordinate func(axis, node int) float64
}

// LayersBy returns a function for [Nodes.Layers] that calls fill for the values of each layer, whose number is size.
func LayersBy(size int, fill func(layer int, values []float64)) func(first, end int) iter.Seq[[]float64] {
	return func(first, end int) iter.Seq[[]float64] {
		return func(yield func([]float64) bool) {
			var values [2][]float64
			for k := range values {
				values[k] = make([]float64, size)
			}
			for layer := first; layer < end; layer++ {
				fill(layer, values[layer%2])
				if !yield(values[layer%2]) {
					return
				}
			}
		}
	}
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

// Surface returns the zero contour. Points and simplices are in the order in which a loop over all cells, x fastest,
// finds them.
func (n *Nodes) Surface() *Surface {
	layers := n.N[n.Dim-1] - 1 // of cells
	if layers <= 0 {
		return &Surface{}
	}
	parts := make([]*part, layers) // by their first layers
	// The function always returns nil, and the context does not end.
	_ = parallel.Each(context.Background(), "", layers, n.layersPerPart(layers), func(lo, hi int) error {
		parts[lo] = n.cut(lo, hi)
		return nil
	})
	return join(slices.DeleteFunc(parts, func(p *part) bool { return p == nil }))
}

// layersPerPart returns the number of layers of cells that a goroutine cuts at a time. Most of a contour may be in few
// layers, so there are more parts than processors; but a part costs two layers of values more than it has.
func (n *Nodes) layersPerPart(layers int) int {
	const fewCells, partsPerProcessor = 20_000, 2 // fewCells is the fewest for which a goroutine is worth its cost
	perLayer := n.N[0]
	if n.Dim == 3 {
		perLayer *= n.N[1]
	}
	parts := partsPerProcessor * runtime.GOMAXPROCS(0)
	return max(fewCells/perLayer, (layers+parts-1)/parts)
}
