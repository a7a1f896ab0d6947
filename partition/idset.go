package partition

import "math/bits"

// idSet finds the position of an id in an ascending list in constant time, with two bits of memory for each id
// between the first and the last: a bitmap, and before each word of it the number of ids in the words before.
type idSet struct {
	base   int32 // the id of bit 0
	words  []uint64
	before []int32
}

// newIDSet returns the set of ids, which must be strictly ascending.
func newIDSet(ids []int32) idSet {
	if len(ids) == 0 {
		return idSet{}
	}
	s := idSet{base: ids[0]}
	s.words = make([]uint64, (ids[len(ids)-1]-s.base)/64+1)
	for _, id := range ids {
		bit := id - s.base
		s.words[bit/64] |= 1 << (bit % 64)
	}
	s.before = make([]int32, len(s.words))
	count := 0
	for w, word := range s.words {
		s.before[w] = int32(count)
		count += bits.OnesCount64(word)
	}
	return s
}

// index returns the position of id in the list; ok is false if the list does not have it.
func (s idSet) index(id int32) (position int32, ok bool) {
	offset := int64(id) - int64(s.base)
	if offset < 0 || offset/64 >= int64(len(s.words)) {
		return 0, false
	}
	word, bit := s.words[offset/64], uint64(1)<<(offset%64)
	if word&bit == 0 {
		return 0, false
	}
	return s.before[offset/64] + int32(bits.OnesCount64(word&(bit-1))), true
}
