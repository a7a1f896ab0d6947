package partition

import "math/bits"

// idSet finds the position of an id in an ascending list in constant time, with two bits of memory for each id
// between the first and the last: a bitmap, and before each word of it the number of ids in the words before.
type idSet struct {
	base   int32 // the id of bit 0
	words  []uint64
	before []int32
}

// newIDSet takes ids strictly ascending.
func newIDSet(ids []int32) idSet {
	if len(ids) == 0 {
		return idSet{}
	}
	s := idSet{base: ids[0]}
	s.words = make([]uint64, (ids[len(ids)-1]-s.base)/64+1)
	for _, id := range ids {
		at := id - s.base
		s.words[at/64] |= 1 << (at % 64)
	}
	s.before = make([]int32, len(s.words))
	count := 0
	for w, word := range s.words {
		s.before[w] = int32(count)
		count += bits.OnesCount64(word)
	}
	return s
}

// index is the position of id in the list, if it is there.
func (s idSet) index(id int32) (int32, bool) {
	at := int64(id) - int64(s.base)
	if at < 0 || at/64 >= int64(len(s.words)) {
		return 0, false
	}
	word, bit := s.words[at/64], uint64(1)<<(at%64)
	if word&bit == 0 {
		return 0, false
	}
	return s.before[at/64] + int32(bits.OnesCount64(word&(bit-1))), true
}
