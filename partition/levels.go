package partition

import (
	"math"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// levels is a breadth-first search that can be repeated on one graph: after search, queue holds the vertices reachable
// from the root, level by level. A search takes time proportional to the edges that it visits.
type levels struct {
	g Graph
	// If byDegree is set, a search visits the neighbours of a vertex by ascending degree, those of equal degree by id,
	// which is the order of Cuthill and McKee. Otherwise it visits them by id.
	byDegree bool
	level    []int32 // distance from the root; -1 if the last search did not reach the vertex
	queue    []int32
	depth    int32 // of the last level; the root's is 0
	last     int   // queue[last:] is the last level
	width    int   // vertices in the largest level
}

func newLevels(g Graph) *levels {
	return &levels{g: g, level: allMinusOne(g.N()), queue: make([]int32, 0, g.N())}
}

// allMinusOne returns an array of n times -1.
func allMinusOne(n int) []int32 {
	marks := make([]int32, n)
	parallel.Ranges(n, parallel.Parts(n, verticesPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			marks[i] = -1
		}
	})
	return marks
}

// search builds the level structure of root. It stops and returns false if a level has more than maxWidth vertices.
func (l *levels) search(root int32, maxWidth int) bool {
	for _, v := range l.queue {
		l.level[v] = -1
	}
	l.queue = append(l.queue[:0], root)
	l.level[root] = 0
	l.depth, l.width = 0, 0
	for first := 0; ; l.depth++ {
		end := len(l.queue)
		l.last = first
		l.width = max(l.width, end-first)
		if l.width > maxWidth {
			return false
		}
		for _, v := range l.queue[first:end] {
			next := len(l.queue)
			for _, u := range l.g.Neighbours(v) {
				if l.level[u] < 0 {
					l.level[u] = l.depth + 1
					l.queue = append(l.queue, u)
				}
			}
			if l.byDegree {
				l.g.sortByDegree(l.queue[next:])
			}
		}
		if len(l.queue) == end {
			return true
		}
		first = end
	}
}

// leastDegree is the vertex with the fewest neighbours, the lowest id among equals.
func (g Graph) leastDegree(vertices []int32) int32 {
	best := vertices[0]
	for _, v := range vertices[1:] {
		if d, least := g.Degree(v), g.Degree(best); d < least || d == least && v < best {
			best = v
		}
	}
	return best
}

// peripheralSearch finds a pseudo-peripheral vertex of a component (A. George, J. W. H. Liu, "An implementation of
// a pseudoperipheral node finder", ACM TOMS 5 (1979) 284): from root, a vertex of least degree, it moves to a
// vertex of least degree in the last level, as long as the level structure gets deeper. Of the last two vertices it
// chooses the one with the narrower level structure, and returns the search from it, which is one of the two given.
func peripheralSearch(current, next *levels, root int32) *levels {
	current.search(root, math.MaxInt)
	for {
		next.search(current.g.leastDegree(current.queue[current.last:]), math.MaxInt)
		if next.depth <= current.depth {
			if next.width < current.width {
				return next
			}
			return current
		}
		current, next = next, current
	}
}
