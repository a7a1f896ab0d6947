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
	perm := make([]int32, 0, n)
	numbered := make([]bool, n)
	l := newLevels(g)
	for v := range int32(n) {
		if numbered[v] {
			continue
		}
		first := len(perm)
		root := l.peripheral(v)
		perm = append(perm, root)
		numbered[root] = true
		for i := first; i < len(perm); i++ {
			end := len(perm)
			for _, u := range g.Neighbours(perm[i]) {
				if !numbered[u] {
					numbered[u] = true
					perm = append(perm, u)
				}
			}
			g.sortByDegree(perm[end:])
		}
		slices.Reverse(perm[first:])
	}
	return perm
}

// sortByDegree sorts vertices by ascending degree, equal ones by id.
func (g Graph) sortByDegree(vertices []int32) {
	if len(vertices) < 2 {
		return
	}
	slices.SortFunc(vertices, func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.Degree(a), g.Degree(b)), cmp.Compare(a, b))
	})
}
