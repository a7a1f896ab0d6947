package divide

import "math/bits"

// numbering numbers labels in the order in which they are first seen.
type numbering struct {
	labels []uint32
	table  []int32 // numbers from 1 on, at places that follow from labels; 0 for none
	shift  int
}

// newNumbering returns a numbering with room for about n labels.
func newNumbering(n int) *numbering {
	s := &numbering{}
	s.resize(max(n, 8))
	return s
}

// resize makes room for n labels.
func (s *numbering) resize(n int) {
	size := bits.Len(uint(2*n - 1))
	s.table, s.shift = make([]int32, 1<<size), 64-size
	for i, label := range s.labels {
		*s.slot(label) = int32(i + 1)
	}
}

// slot returns the place of a label in the table.
func (s *numbering) slot(label uint32) *int32 {
	mask := len(s.table) - 1
	for at := int(uint64(label) * 0x9e3779b97f4a7c15 >> s.shift); ; at = (at + 1) & mask {
		if k := s.table[at]; k == 0 || s.labels[k-1] == label {
			return &s.table[at]
		}
	}
}

// of returns the number of a label.
func (s *numbering) of(label uint32) int32 {
	slot := s.slot(label)
	if *slot == 0 {
		if 2*len(s.labels) >= len(s.table) {
			s.resize(2 * len(s.labels))
			slot = s.slot(label)
		}
		s.labels = append(s.labels, label)
		*slot = int32(len(s.labels))
	}
	return *slot - 1
}
