// Package disjoint has disjoint sets of numbers, which can be joined.
package disjoint

// Sets are a forest: each number refers to another one of its set, and the root of a set, its least number, to itself.
type Sets []int32

// New returns sets of one number each, 0 … n-1.
func New(n int) Sets {
	s := make(Sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Root returns the least number of the set of i, and shortens the way to it.
func (s Sets) Root(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// Join joins the sets of i and j.
func (s Sets) Join(i, j int32) {
	i, j = s.Root(i), s.Root(j)
	s[max(i, j)] = min(i, j)
}
