package partition

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// endCandidates is how many vertices of the last level are tried as the other end of the pseudo-diameter: few, since
// each needs a search of the whole component.
const endCandidates = 5

// gps is the state of the Gibbs–Poole–Stockmeyer ordering of one graph. It is reused for all components.
type gps struct {
	*searcher
	queue []int32 // memory for the result of a search
	// The distances of each vertex from the two ends of a pseudo-diameter of its component. Then combine replaces
	// fromBegin by the level of the vertex in the combined structure.
	fromBegin, fromEnd []int32
	perm               []int32
	position           []int32 // in perm; -1 where not numbered yet
}

// gibbsPooleStockmeyer numbers each connected component level by level in a level structure that combines those of
// both ends of a pseudo-diameter so as to be narrow (N. E. Gibbs, W. G. Poole, P. K. Stockmeyer, "An algorithm for
// reducing the bandwidth and profile of a sparse matrix", SIAM J. Numer. Anal. 13 (1976) 236; J. G. Lewis,
// Algorithm 582, ACM TOMS 8 (1982) 190). Components are in the order of their lowest id.
func gibbsPooleStockmeyer(g Graph) ([]int32, error) {
	n := g.N()
	searcher, err := newSearcher(g, false)
	if err != nil {
		return nil, err
	}
	s := gps{searcher: searcher, queue: make([]int32, 0, n), fromBegin: make([]int32, n), fromEnd: make([]int32, n),
		perm: make([]int32, 0, n), position: allMinusOne(n)}
	for v := range int32(n) {
		if s.position[v] < 0 {
			s.numberComponent(v)
		}
	}
	return s.perm, nil
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

// numberComponent numbers the component of v.
func (s *gps) numberComponent(v int32) {
	begin, end, depth, preferBegin, members := s.diameter(v)
	width := s.combine(members, depth, preferBegin)
	level := s.fromBegin
	if s.g.Degree(end) < s.g.Degree(begin) {
		begin = end
		for _, w := range members {
			level[w] = depth - level[w]
		}
		slices.Reverse(width)
	}
	first := len(s.perm)
	s.number(begin, members, width)
	if s.reversedIsBetter(first) {
		slices.Reverse(s.perm[first:])
		for i := first; i < len(s.perm); i++ {
			s.position[s.perm[i]] = int32(i)
		}
	}
}

// diameter finds the ends of a pseudo-diameter of the component of v, depth edges apart, and fills fromBegin and
// fromEnd. It starts from a vertex of least degree and moves to a vertex of the last level while that one has more
// levels. It tries the vertices of the last level by ascending degree; the one with the narrowest levels becomes the
// other end. preferBegin reports whether the levels of begin are no wider than those of end. members are the vertices
// of the component, in an order that depends on the graph alone.
func (s *gps) diameter(v int32) (begin, end, depth int32, preferBegin bool, members []int32) {
	l, _ := s.search(v, math.MaxInt, s.queue)
	begin = s.g.leastDegree(s.rows.ids(l.queue))
	l, _ = s.search(begin, math.MaxInt, s.queue)
	for {
		s.storeDistances(l, s.fromBegin)
		beginWidth, endWidth := l.width, math.MaxInt
		depth = l.depth
		candidates := slices.Clone(l.queue[l.last:])
		s.rows.sortByDegree(candidates)
		deeper := false
		for c := range s.rows.ids(candidates[:min(endCandidates, len(candidates))]) {
			var narrower bool
			if l, narrower = s.search(c, endWidth-1, s.queue); !narrower {
				continue
			}
			if l.depth > depth {
				begin, deeper = c, true
				break
			}
			end, endWidth = c, l.width
			s.storeDistances(l, s.fromEnd)
		}
		if !deeper {
			l, _ = s.search(begin, math.MaxInt, s.queue)
			members = slices.AppendSeq(make([]int32, 0, len(l.queue)), s.rows.ids(l.queue))
			return begin, end, depth, beginWidth <= endWidth, members
		}
	}
}

// storeDistances copies the distances that the last search found.
func (s *gps) storeDistances(l levels, distance []int32) {
	for _, v := range l.queue {
		distance[s.rows[v+rowID]] = s.rows[v+rowLevel]
	}
}

// combine chooses the level of every member, stores it in fromBegin and returns the width of each level, its number
// of vertices. A vertex on a shortest path between the two ends has the same level from both ends and keeps it. The
// other vertices form components: largest first, each takes its levels from the end that gives the smaller width.
func (s *gps) combine(members []int32, depth int32, preferBegin bool) (width []int32) {
	width = make([]int32, depth+1)
	for _, w := range members {
		s.fromEnd[w] = depth - s.fromEnd[w]
		if s.fromBegin[w] == s.fromEnd[w] {
			width[s.fromBegin[w]]++
		}
	}
	added := make([]int32, depth+1)
	widest := func(vertices, level []int32) int32 { // of the levels that the vertices would widen
		largest := int32(0)
		for _, w := range vertices {
			added[level[w]]++
		}
		for _, w := range vertices {
			largest = max(largest, width[level[w]]+added[level[w]])
		}
		for _, w := range vertices {
			added[level[w]] = 0
		}
		return largest
	}
	for _, component := range s.undecidedComponents(members) {
		beginWidth, endWidth := widest(component, s.fromBegin), widest(component, s.fromEnd)
		if endWidth < beginWidth || endWidth == beginWidth && !preferBegin {
			for _, w := range component {
				s.fromBegin[w] = s.fromEnd[w]
			}
		}
		for _, w := range component {
			width[s.fromBegin[w]]++
		}
	}
	return width
}

// undecidedComponents lists the connected components of the vertices whose two levels differ, the largest first.
func (s *gps) undecidedComponents(members []int32) [][]int32 {
	const visited = -2 // in position, until all are found
	var components [][]int32
	queue := make([]int32, 0, len(members))
	for _, root := range members {
		if s.fromBegin[root] == s.fromEnd[root] || s.position[root] == visited {
			continue
		}
		first := len(queue)
		queue = append(queue, root)
		s.position[root] = visited
		for i := first; i < len(queue); i++ {
			for _, u := range s.g.Neighbours(queue[i]) {
				if s.fromBegin[u] != s.fromEnd[u] && s.position[u] != visited {
					s.position[u] = visited
					queue = append(queue, u)
				}
			}
		}
		components = append(components, queue[first:])
	}
	for _, w := range queue {
		s.position[w] = -1
	}
	slices.SortStableFunc(components, func(a, b []int32) int { return len(b) - len(a) })
	return components
}

// number appends the members to perm, level by level from begin, which is in level 0. The vertices of a level are
// numbered in the order of their first neighbour in the level before; then the neighbours, within the level, of
// numbered vertices; where none remain, the unnumbered vertex of least degree. The neighbours of one vertex are
// numbered by ascending degree.
func (s *gps) number(begin int32, members []int32, width []int32) {
	level := s.fromBegin
	byDegree := s.sortLevels(members, width)
	s.append(begin)
	for i, first := 0, len(s.perm)-1; i < len(width); i++ {
		end := first + int(width[i])
		unnumbered := byDegree[:width[i]]
		byDegree = byDegree[width[i]:]
		for next := first; next < end; next++ {
			for next == len(s.perm) {
				if v := int32(unnumbered[0] & math.MaxUint32); s.position[v] < 0 {
					s.append(v)
				}
				unnumbered = unnumbered[1:]
			}
			s.appendNeighbours(s.perm[next], level, int32(i))
		}
		for _, v := range s.perm[first:end] {
			s.appendNeighbours(v, level, int32(i+1))
		}
		first = end
	}
}

// sortLevels lists the members by level, degree and id. The low 32 bits of an entry are the id.
func (s *gps) sortLevels(members []int32, width []int32) []uint64 {
	next := make([]int, len(width))
	for i := 1; i < len(width); i++ {
		next[i] = next[i-1] + int(width[i-1])
	}
	entries := make([]uint64, len(members))
	for _, w := range members {
		to := &next[s.fromBegin[w]]
		entries[*to] = uint64(s.g.Degree(w))<<32 | uint64(w)
		*to++
	}
	first := 0
	for _, w := range width {
		slices.Sort(entries[first : first+int(w)])
		first += int(w)
	}
	return entries
}

func (s *gps) append(v int32) {
	s.position[v] = int32(len(s.perm))
	s.perm = append(s.perm, v)
}

// appendNeighbours numbers the neighbours of v in the given level that have no number yet.
func (s *gps) appendNeighbours(v int32, level []int32, wantLevel int32) {
	first := len(s.perm)
	for _, u := range s.g.Neighbours(v) {
		if level[u] == wantLevel && s.position[u] < 0 {
			s.append(u)
		}
	}
	if len(s.perm)-first > 1 {
		s.sortByDegree(s.perm[first:])
		for i := first; i < len(s.perm); i++ {
			s.position[s.perm[i]] = int32(i)
		}
	}
}

// sortByDegree sorts ids of vertices by ascending degree, equal ones by id.
func (s *gps) sortByDegree(ids []int32) {
	for i, id := range ids {
		ids[i] = s.g.row(id)
	}
	s.rows.sortByDegree(ids)
	for i, v := range ids {
		ids[i] = s.rows[v+rowID]
	}
}

// reversedIsBetter reports whether perm[first:], a whole component, has a smaller profile in reverse order. The
// bandwidth is the same in both.
func (s *gps) reversedIsBetter(first int) bool {
	forward, backward := int64(0), int64(0)
	for i := first; i < len(s.perm); i++ {
		low, high := int32(i), int32(i)
		for _, u := range s.g.Neighbours(s.perm[i]) {
			low, high = min(low, s.position[u]), max(high, s.position[u])
		}
		forward += int64(int32(i) - low)
		backward += int64(high - int32(i))
	}
	return backward < forward
}
