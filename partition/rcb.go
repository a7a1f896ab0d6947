package partition

import (
	"cmp"
	"slices"
	"sync"
)

// point is a cell in a recursive bisection.
type point struct {
	position [3]float64 // the third is 0 in the plane
	id       int32
}

// bisect is recursive coordinate bisection (M. J. Berger, S. H. Bokhari, 1987): it cuts the longest side of the
// bounding box of the cells so that each side gets cells in proportion to its number of parts, and recurses. Cells with
// the coordinate of the cut are assigned by id.
func bisect(at [][]float64, parts int) []int32 {
	n := len(at[0])
	points := make([]point, n)
	for i := range points {
		points[i].id = int32(i)
		for axis, x := range at {
			points[i].position[axis] = x[i]
		}
	}
	partOf := make([]int32, n)
	// divide assigns the points of parts first to end-1, which are consecutive in points.
	var divide func(first, end int)
	divide = func(first, end int) {
		start, stop := CellsBefore(n, parts, first), CellsBefore(n, parts, end)
		subset := points[start:stop]
		if len(subset) == 0 {
			return
		}
		if end-first == 1 {
			for _, p := range subset {
				partOf[p.id] = int32(first)
			}
			return
		}
		middle := first + (end-first)/2
		selectPoints(subset, CellsBefore(n, parts, middle)-start, longestAxis(subset))
		if len(subset) < 100_000 { // fewer points are not worth a goroutine
			divide(first, middle)
			divide(middle, end)
			return
		}
		var wait sync.WaitGroup
		wait.Go(func() { divide(first, middle) })
		divide(middle, end)
		wait.Wait()
	}
	divide(0, parts)
	return partOf
}

// longestAxis returns the axis along which points are farthest apart, the first of several.
func longestAxis(points []point) int {
	low, high := points[0].position, points[0].position
	for i := range points {
		for d, v := range points[i].position {
			if v < low[d] {
				low[d] = v
			} else if v > high[d] {
				high[d] = v
			}
		}
	}
	longest := 0
	for d := range low {
		if high[d]-low[d] > high[longest]-low[longest] {
			longest = d
		}
	}
	return longest
}

// selectPoints moves the k least points along an axis to the front. It is a quickselect that sorts the remaining points
// after 64 pivots. The result does not depend on the pivots, since ids make the order strict.
func selectPoints(points []point, k, axis int) {
	const small = 32
	pivots := 64 // remaining
	for {
		n := len(points)
		if k <= 0 || k >= n {
			return
		}
		if n <= small || pivots == 0 {
			slices.SortFunc(points, func(a, b point) int {
				return cmp.Or(cmp.Compare(a.position[axis], b.position[axis]), cmp.Compare(a.id, b.id))
			})
			return
		}
		pivots--
		pivot := median(points[n/4], points[n/2], points[n-1-n/4], axis)
		i, j := 0, n-1
		for i <= j {
			for points[i].less(pivot, axis) {
				i++
			}
			for pivot.less(points[j], axis) {
				j--
			}
			if i <= j {
				points[i], points[j] = points[j], points[i]
				i++
				j--
			}
		}
		// Now points[:j+1] <= pivot <= points[i:], and at most one point, the pivot, is between the two.
		switch {
		case k <= j:
			points = points[:j+1]
		case k >= i:
			points, k = points[i:], k-i
		default:
			return
		}
	}
}

func (p point) less(q point, axis int) bool {
	return p.position[axis] < q.position[axis] || p.position[axis] == q.position[axis] && p.id < q.id
}

func median(a, b, c point, axis int) point {
	if b.less(a, axis) {
		a, b = b, a
	}
	if c.less(a, axis) {
		return a
	}
	if c.less(b, axis) {
		return c
	}
	return b
}
