package partition

import (
	"iter"
	"math"
)

// searcher makes breadth-first searches of a graph. A search takes time proportional to the edges that it visits.
type searcher struct {
	g    Graph
	rows rows // of g, with the levels of the last search
	// If byDegree is set, a search visits the neighbours of a vertex by ascending degree, those of equal degree by id,
	// which is the order of Cuthill and McKee. Otherwise it visits them by id.
	byDegree bool
	reached  []int32 // vertices that have a level
}

func newSearcher(g Graph, byDegree bool) (*searcher, error) {
	r, err := newRows(g)
	return &searcher{g: g, rows: r, byDegree: byDegree}, err
}

// levels is the result of a search: the vertices that can be reached from the root, level by level. The elements of
// queue are vertices of rows.
type levels struct {
	queue []int32
	depth int32 // of the last level; the root's is 0
	last  int   // queue[last:] is the last level
	width int   // vertices in the largest level
}

// search finds the levels of the vertex with id root. It stops and returns false if a level has more than maxWidth
// vertices. The result uses the memory of queue: it lasts until a search with the same queue.
func (s *searcher) search(root int32, maxWidth int, queue []int32) (l levels, ok bool) {
	r := s.rows
	for _, v := range s.reached {
		r[v+rowLevel] = -1
	}
	defer func() { s.reached = l.queue }()
	l.queue = append(queue[:0], s.g.row(root))
	r[l.queue[0]+rowLevel] = 0
	for first := 0; ; l.depth++ {
		end := len(l.queue)
		l.last = first
		l.width = max(l.width, end-first)
		if l.width > maxWidth {
			return l, false
		}
		for _, v := range l.queue[first:end] {
			next := len(l.queue)
			for _, u := range r.neighbours(v) {
				if r[u+rowLevel] < 0 {
					r[u+rowLevel] = l.depth + 1
					l.queue = append(l.queue, u)
				}
			}
			if s.byDegree && len(l.queue)-next > 1 {
				r.sortByDegree(l.queue[next:])
			}
		}
		if len(l.queue) == end {
			return l, true
		}
		first = end
	}
}

// leastDegree is the vertex with the fewest neighbours, the lowest id among equals; -1 if there are no ids.
func (g Graph) leastDegree(ids iter.Seq[int32]) int32 {
	best, least := int32(-1), int32(math.MaxInt32)
	for v := range ids {
		if d := g.Degree(v); d < least || d == least && v < best {
			best, least = v, d
		}
	}
	return best
}
