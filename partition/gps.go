package partition

import (
	"math"
	"slices"
)

// farCandidates is how many vertices of the last level are tried as the other end of the pseudo-diameter.
const farCandidates = 5

// gps holds what the Gibbs–Poole–Stockmeyer ordering of one graph needs; all components share its memory.
type gps struct {
	g      Graph
	search *levels
	// near and far are the distances of each vertex from the two ends of a pseudo-diameter of its component, until
	// combine replaces near by the level that it decides for.
	near, far []int32
	perm      []int32
	position  []int32 // in perm; -1 where not numbered yet
}

// gibbsPooleStockmeyer numbers each connected component level by level in a level structure that combines those of
// both ends of a pseudo-diameter so as to be narrow (N. E. Gibbs, W. G. Poole, P. K. Stockmeyer, "An algorithm for
// reducing the bandwidth and profile of a sparse matrix", SIAM J. Numer. Anal. 13 (1976) 236; J. G. Lewis,
// Algorithm 582, ACM TOMS 8 (1982) 190). Components follow each other by their lowest id.
func gibbsPooleStockmeyer(g Graph) []int32 {
	n := g.N()
	s := gps{g: g, search: newLevels(g), near: make([]int32, n), far: make([]int32, n), perm: make([]int32, 0, n),
		position: unset(n)}
	for v := range int32(n) {
		if s.position[v] < 0 {
			s.component(v)
		}
	}
	return s.perm
}

// component numbers the component of v.
func (s *gps) component(v int32) {
	begin, end, depth, preferNear := s.diameter(v)
	members := slices.Clone(s.search.queue)
	width := s.combine(members, depth, preferNear)
	level := s.near
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

// diameter finds the ends of a pseudo-diameter of the component of v, depth edges apart, and fills near and far. It
// starts from a vertex of least degree and moves to one of the last level as long as that is deeper. The last level
// is tried by ascending degree, and the vertex of the narrowest level structure becomes the other end. preferNear
// tells that the levels of the first end are no wider. Afterwards search.queue holds at least the whole component,
// in some order that depends on the graph alone.
func (s *gps) diameter(v int32) (begin, end, depth int32, preferNear bool) {
	l := s.search
	l.search(v, math.MaxInt)
	begin = s.g.lightest(l.queue)
	l.search(begin, math.MaxInt)
	for {
		s.keep(s.near)
		nearWidth, farWidth := l.width, math.MaxInt
		depth = l.depth
		candidates := slices.Clone(l.queue[l.last:])
		s.g.sortByDegree(candidates)
		deeper := false
		for _, c := range candidates[:min(farCandidates, len(candidates))] {
			if !l.search(c, farWidth-1) {
				continue
			}
			if l.depth > depth {
				begin, deeper = c, true
				break
			}
			end, farWidth = c, l.width
			s.keep(s.far)
		}
		if !deeper {
			l.search(begin, math.MaxInt)
			return begin, end, depth, nearWidth <= farWidth
		}
	}
}

// keep stores the distances that the last search found.
func (s *gps) keep(distance []int32) {
	for _, w := range s.search.queue {
		distance[w] = s.search.level[w]
	}
}

// combine decides the level of every member, stores it in near and returns the width of each level. A vertex on a
// shortest path between the two ends has the same level seen from both and keeps it. The others fall into
// components; the largest first, each takes its levels from the end that widens the structure least.
func (s *gps) combine(members []int32, depth int32, preferNear bool) (width []int32) {
	width = make([]int32, depth+1)
	for _, w := range members {
		s.far[w] = depth - s.far[w]
		if s.near[w] == s.far[w] {
			width[s.near[w]]++
		}
	}
	added := make([]int32, depth+1)
	widest := func(vertices, level []int32) int32 { // of the levels that the vertices would widen
		most := int32(0)
		for _, w := range vertices {
			added[level[w]]++
		}
		for _, w := range vertices {
			most = max(most, width[level[w]]+added[level[w]])
		}
		for _, w := range vertices {
			added[level[w]] = 0
		}
		return most
	}
	for _, rest := range s.undecided(members) {
		byNear, byFar := widest(rest, s.near), widest(rest, s.far)
		if byFar < byNear || byFar == byNear && !preferNear {
			for _, w := range rest {
				s.near[w] = s.far[w]
			}
		}
		for _, w := range rest {
			width[s.near[w]]++
		}
	}
	return width
}

// undecided lists the components of the vertices whose two levels differ, the largest first.
func (s *gps) undecided(members []int32) [][]int32 {
	const visited = -2 // in position, until all are found
	var components [][]int32
	queue := make([]int32, 0, len(members))
	for _, root := range members {
		if s.near[root] == s.far[root] || s.position[root] == visited {
			continue
		}
		first := len(queue)
		queue = append(queue, root)
		s.position[root] = visited
		for i := first; i < len(queue); i++ {
			for _, u := range s.g.Neighbours(queue[i]) {
				if s.near[u] != s.far[u] && s.position[u] != visited {
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

// number appends the members to perm, level by level from begin, which is in level 0. Vertices of a level come in
// the order of their first neighbour in the level before; then neighbours within the level follow those that have
// a number; what is left starts from the vertex of least degree. Neighbours of one vertex go by ascending degree.
func (s *gps) number(begin int32, members []int32, width []int32) {
	level := s.near
	byDegree := s.sortLevels(members, width)
	s.append(begin)
	for i, first := 0, len(s.perm)-1; i < len(width); i++ {
		end := first + int(width[i])
		rest := byDegree[:width[i]]
		byDegree = byDegree[width[i]:]
		for next := first; next < end; next++ {
			for next == len(s.perm) {
				if v := int32(rest[0] & math.MaxUint32); s.position[v] < 0 {
					s.append(v)
				}
				rest = rest[1:]
			}
			s.appendNeighbours(s.perm[next], level, int32(i))
		}
		for _, v := range s.perm[first:end] {
			s.appendNeighbours(v, level, int32(i+1))
		}
		first = end
	}
}

// sortLevels lists the members by level, degree and id; the low half of each entry is the id.
func (s *gps) sortLevels(members []int32, width []int32) []uint64 {
	next := make([]int, len(width))
	for i := 1; i < len(width); i++ {
		next[i] = next[i-1] + int(width[i-1])
	}
	entries := make([]uint64, len(members))
	for _, w := range members {
		to := &next[s.near[w]]
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
func (s *gps) appendNeighbours(v int32, level []int32, in int32) {
	first := len(s.perm)
	for _, u := range s.g.Neighbours(v) {
		if level[u] == in && s.position[u] < 0 {
			s.append(u)
		}
	}
	if len(s.perm)-first > 1 {
		s.g.sortByDegree(s.perm[first:])
		for i := first; i < len(s.perm); i++ {
			s.position[s.perm[i]] = int32(i)
		}
	}
}

// reversedIsBetter tells whether perm[first:], a whole component, has a smaller profile backwards. The bandwidth is
// the same both ways.
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
