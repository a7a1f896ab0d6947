package partition

import "math"

// levels is a breadth-first search that can be repeated on one graph: after search, queue holds the vertices reachable
// from the root, level by level. A search takes time proportional to the edges that it visits.
type levels struct {
	g     Graph
	level []int32 // distance from the root; -1 for vertices that the last search did not reach
	queue []int32
	depth int32 // of the last level; the root's is 0
	last  int   // queue[last:] is the last level
	width int   // vertices in the largest level
}

func newLevels(g Graph) *levels {
	l := &levels{g: g, level: make([]int32, g.N()), queue: make([]int32, 0, g.N())}
	for v := range l.level {
		l.level[v] = -1
	}
	return l
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
			for _, u := range l.g.Neighbours(v) {
				if l.level[u] < 0 {
					l.level[u] = l.depth + 1
					l.queue = append(l.queue, u)
				}
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

// peripheral finds a pseudo-peripheral vertex of the component of v (A. George, J. W. H. Liu, "An implementation of a
// pseudoperipheral node finder", ACM TOMS 5 (1979) 284): from a vertex of least degree it moves to a vertex of least
// degree in the last level, as long as the level structure gets deeper. Of the last two vertices it returns the one
// with the narrower level structure.
func (l *levels) peripheral(v int32) int32 {
	l.search(v, math.MaxInt)
	root := l.g.leastDegree(l.queue)
	l.search(root, math.MaxInt)
	for {
		depth, width := l.depth, l.width
		end := l.g.leastDegree(l.queue[l.last:])
		l.search(end, math.MaxInt)
		if l.depth <= depth {
			if l.width < width {
				return end
			}
			return root
		}
		root = end
	}
}
