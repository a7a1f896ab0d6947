package partition

import (
	"cmp"
	"slices"
)

// reverseCuthillMcKee numbers each connected component breadth first from a pseudo-peripheral vertex, neighbours
// by ascending degree, and then reverses the numbers (E. Cuthill, J. McKee, 1969; A. George, 1971). Components are
// in the order of their lowest id.
func reverseCuthillMcKee(g Graph) []int32 {
	n := g.N()
	if n == 0 {
		return nil
	}
	current, next := newLevels(g), newLevels(g)
	current.byDegree, next.byDegree = true, true
	// Mostly there is one component, whose vertex of least degree is that of the graph.
	order := peripheralSearch(current, next, g.leastDegree(identity(n))).queue
	if len(order) == n {
		slices.Reverse(order)
		return order
	}
	perm := make([]int32, 0, n)
	numbered := make([]bool, n)
	for v := range int32(n) {
		if numbered[v] {
			continue
		}
		current.search(v, n)
		first := len(perm)
		perm = append(perm, peripheralSearch(current, next, g.leastDegree(current.queue)).queue...)
		for _, u := range perm[first:] {
			numbered[u] = true
		}
		slices.Reverse(perm[first:])
	}
	return perm
}

// sortByDegree sorts vertices by ascending degree, equal ones by id.
func (g Graph) sortByDegree(vertices []int32) {
	switch len(vertices) {
	case 0, 1:
	case 2: // the most common case: a triangle has at most two neighbours that a search has not visited
		if a, b := vertices[0], vertices[1]; g.Degree(b) < g.Degree(a) || g.Degree(b) == g.Degree(a) && b < a {
			vertices[0], vertices[1] = b, a
		}
	default:
		slices.SortFunc(vertices, func(a, b int32) int {
			return cmp.Or(cmp.Compare(g.Degree(a), g.Degree(b)), cmp.Compare(a, b))
		})
	}
}
