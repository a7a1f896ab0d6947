package contour

import (
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// part is the contour in some layers of cells. It has all points on the edges within its first and its last layer of
// nodes; the next part has those of the last layer too.
type part struct {
	Surface
	first, last []edgePoint // on edges within these layers of nodes, in the order of the points
}

// edgePoint is a point and the edge on which it is, by its key in its layer of nodes.
type edgePoint struct {
	key   int
	point int32
}

// join returns the contour in all layers. parts are in the order of their layers, and there is at least one.
func join(parts []*part) *Surface {
	points, simplices := make([]int, len(parts)+1), make([]int, len(parts)+1) // in the parts before each
	parts[0].first = nil                                                      // no part before it has them
	for k, p := range parts {
		points[k+1] = points[k] + len(p.ID) - len(p.first)
		simplices[k+1] = simplices[k] + len(p.Simplices)
	}
	count := points[len(parts)]
	whole := &Surface{Points: make([]float64, 3*count), ID: make([]int64, count),
		Simplices: make([]int32, simplices[len(parts)])}
	parallel.Ranges(len(parts), parallel.Parts(len(parts), 1), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			ids := make([]int32, len(parts[k].ID)) // index in whole of each point
			if k > 0 {
				parts[k].findFirst(ids, parts[k-1], int32(points[k-1]))
			}
			parts[k].copyTo(whole, ids, points[k], simplices[k])
		}
	})
	return whole
}

// findFirst sets ids of the points within the first layer of nodes: those of the previous part, whose own points begin
// at index begin.
func (p *part) findFirst(ids []int32, previous *part, begin int32) {
	at := make(map[int]int32, len(previous.last))
	for _, e := range previous.last {
		before, _ := slices.BinarySearchFunc(previous.first, e.point, func(f edgePoint, point int32) int {
			return int(f.point - point)
		})
		at[e.key] = begin + e.point - int32(before)
	}
	for _, e := range p.first {
		ids[e.point] = at[e.key]
	}
}

// copyTo copies the points that the previous part does not have to whole, from index begin on, and all simplices from
// index beginSimplices on.
func (p *part) copyTo(whole *Surface, ids []int32, begin, beginSimplices int) {
	shared := p.first
	for k, id := range p.ID {
		if len(shared) > 0 && int(shared[0].point) == k {
			shared = shared[1:]
			continue
		}
		whole.ID[begin] = id
		copy(whole.Points[3*begin:], p.Points[3*k:3*k+3])
		ids[k] = int32(begin)
		begin++
	}
	for k, point := range p.Simplices {
		whole.Simplices[beginSimplices+k] = ids[point]
	}
}
