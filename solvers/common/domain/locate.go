package domain

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
)

// locate returns, for each point, the owned cell with the lowest global id that contains it, edges included; -1 for
// none.
func locate(part *mesh.Part, points [][]float64) []int {
	found := make([]int, len(points))
	for k := range found {
		found[k] = -1
	}
	byX := make([]int, len(points)) // points by ascending x
	for k := range byX {
		byX[k] = k
	}
	slices.SortFunc(byX, func(a, b int) int { return cmp.Compare(points[a][0], points[b][0]) })
	var lock sync.Mutex
	parallel.Ranges(part.Owned, parallel.Parts(part.Owned, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x, y := part.Vertices(i)
			// Because of rounding, contains may accept points that are slightly outside.
			left, right := min(x[0], x[1], x[2]), max(x[0], x[1], x[2])
			margin := 1e-6 * (right - left + max(y[0], y[1], y[2]) - min(y[0], y[1], y[2]))
			first := sort.Search(len(byX), func(k int) bool { return points[byX[k]][0] >= left-margin })
			for _, k := range byX[first:] {
				if points[k][0] > right+margin {
					break
				}
				if !contains(x, y, points[k]) {
					continue
				}
				lock.Lock()
				if found[k] < 0 || part.Global[i] < part.Global[found[k]] {
					found[k] = i
				}
				lock.Unlock()
			}
		}
	})
	return found
}

// contains reports whether a point is in a triangle or on its edges. The corners are counterclockwise.
func contains(x, y [3]float64, p []float64) bool {
	for k := range 3 {
		n := (k + 1) % 3
		if !((x[n]-x[k])*(p[1]-y[k])-(y[n]-y[k])*(p[0]-x[k]) >= 0) {
			return false
		}
	}
	return true
}

// locateAround is locate for points whose x may be a longitude, which is the same up to whole circles.
func locateAround(part *mesh.Part, points [][]float64) []int {
	found := locate(part, points)
	if !part.Geographic {
		return found
	}
	for _, circle := range []float64{-360, 360} {
		moved := make([][]float64, len(points))
		for k, p := range points {
			moved[k] = []float64{p[0] + circle, p[1]}
		}
		for k, cell := range locate(part, moved) {
			if found[k] < 0 {
				found[k] = cell
			}
		}
	}
	return found
}
