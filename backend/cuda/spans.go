package cuda

import (
	"cmp"
	"slices"
)

// spans are the allocations of a device, by ascending address.
type spans []span

type span struct{ at, size uintptr }

func (s spans) search(at uintptr) (int, bool) {
	return slices.BinarySearchFunc(s, at, func(e span, at uintptr) int { return cmp.Compare(e.at, at) })
}

func (s *spans) add(at, size uintptr) {
	n, _ := s.search(at)
	*s = slices.Insert(*s, n, span{at, size})
}

// remove forgets the allocation that begins at an address, and tells its size, and whether there was one.
func (s *spans) remove(at uintptr) (size uintptr, found bool) {
	n, found := s.search(at)
	if found {
		size = (*s)[n].size
		*s = slices.Delete(*s, n, n+1)
	}
	return size, found
}

// holds tells whether all of [at, at+size) lies in one allocation.
func (s spans) holds(at, size uintptr) bool {
	n, found := s.search(at)
	if !found {
		n--
	}
	return n >= 0 && at-s[n].at <= s[n].size && size <= s[n].size-(at-s[n].at)
}
