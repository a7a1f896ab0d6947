package partition

import (
	"math"
	"slices"
)

// reverseCuthillMcKee numbers each connected component breadth first from a pseudo-peripheral vertex, neighbours
// by ascending degree, and then reverses the numbers (E. Cuthill, J. McKee, 1969; A. George, 1971). Components are
// in the order of their lowest id.
func reverseCuthillMcKee(g Graph) ([]int32, error) {
	n := g.N()
	if n == 0 {
		return nil, nil
	}
	s, err := newSearcher(g, true)
	if err != nil {
		return nil, err
	}
	queue, other := make([]int32, 0, n), make([]int32, 0, n)
	// Mostly there is one component, whose vertex of least degree is that of the graph.
	root := g.leastDegree(func(yield func(v int32) bool) {
		for v := range int32(n) {
			yield(v)
		}
	})
	if order := s.peripheral(root, queue, other).queue; len(order) == n {
		s.rows.toIDs(order)
		slices.Reverse(order)
		return order, nil
	}
	perm := make([]int32, 0, n)
	numbered := make([]bool, n)
	for v := range int32(n) {
		if numbered[v] {
			continue
		}
		component, _ := s.search(v, n, queue)
		root := g.leastDegree(s.rows.ids(component.queue))
		first := len(perm)
		perm = slices.AppendSeq(perm, s.rows.ids(s.peripheral(root, queue, other).queue))
		for _, u := range perm[first:] {
			numbered[u] = true
		}
		slices.Reverse(perm[first:])
	}
	return perm, nil
}

// peripheral finds a pseudo-peripheral vertex of a component (A. George, J. W. H. Liu, "An implementation of a
// pseudoperipheral node finder", ACM TOMS 5 (1979) 284): from root, a vertex of least degree, it moves to a vertex of
// least degree in the last level, as long as there are more levels. Of the last two vertices it chooses the one with
// the narrower levels, which it returns. It uses the memory of queue and other.
func (s *searcher) peripheral(root int32, queue, other []int32) levels {
	current, _ := s.search(root, math.MaxInt, queue)
	for {
		end := s.g.leastDegree(s.rows.ids(current.queue[current.last:]))
		next, _ := s.search(end, math.MaxInt, other)
		if next.depth <= current.depth {
			if next.width < current.width {
				return next
			}
			return current
		}
		current, other = next, current.queue
	}
}
