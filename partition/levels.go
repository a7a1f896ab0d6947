package partition

import "math"

// levels is a breadth-first search that is used again and again on one graph: after search, queue holds the
// vertices that root reaches, level after level. A search costs time proportional to what it reaches.
type levels struct {
	g     Graph
	level []int32 // distance from the root; -1 where the last search did not come
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

// search builds the level structure of root. It gives up and reports false as soon as a level has more than
// maxWidth vertices.
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

// lightest is the vertex of fewest neighbours, the lowest id among equals.
func (g Graph) lightest(vertices []int32) int32 {
	best := vertices[0]
	for _, v := range vertices[1:] {
		if d, least := g.Degree(v), g.Degree(best); d < least || d == least && v < best {
			best = v
		}
	}
	return best
}

// peripheral finds a vertex of the component of v that is nearly as far as possible from some other (A. George,
// J. W. H. Liu, "An implementation of a pseudoperipheral node finder", ACM TOMS 5 (1979) 284): from a vertex of
// least degree it goes to one of least degree in the last level, as long as the level structure gets deeper. Of
// the two that it ends with it takes the one of the narrower levels.
func (l *levels) peripheral(v int32) int32 {
	l.search(v, math.MaxInt)
	root := l.g.lightest(l.queue)
	l.search(root, math.MaxInt)
	for {
		depth, width := l.depth, l.width
		far := l.g.lightest(l.queue[l.last:])
		l.search(far, math.MaxInt)
		if l.depth <= depth {
			if l.width < width {
				return far
			}
			return root
		}
		root = far
	}
}
