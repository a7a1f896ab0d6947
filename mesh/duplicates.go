package mesh

import (
	"maps"
	"math"
	"math/bits"
	"slices"
)

// duplicateVertices calls report for each vertex at the position of an earlier one, in ascending order, with the first
// vertex there.
func (m *Mesh) duplicateVertices(report func(first, again int32)) {
	hash := func(v int32) uint64 {
		// Adding zero makes -0 and 0 the same.
		return mix(mix(math.Float64bits(m.X[v]+0)) + math.Float64bits(m.Y[v]+0))
	}
	same := func(v, w int32) bool { return m.X[v] == m.X[w] && m.Y[v] == m.Y[w] }
	duplicates(len(m.X), hash, same, report)
}

// duplicateCells calls report for each cell of the same three vertices as an earlier one, in ascending order.
func (m *Mesh) duplicateCells(report func(first, again int32)) {
	hash := func(c int32) uint64 {
		v := sorted(m.Cells[c])
		return mix(mix(uint64(v[0])<<32|uint64(v[1])) + uint64(v[2]))
	}
	same := func(c, d int32) bool { return sorted(m.Cells[c]) == sorted(m.Cells[d]) }
	duplicates(len(m.Cells), hash, same, report)
}

// duplicates finds equal items by an open-addressing table of item numbers; what it reports does not depend on hash.
func duplicates(n int, hash func(int32) uint64, same func(a, b int32) bool, report func(first, again int32)) {
	if n < 2 {
		return
	}
	table := NewMarks(1 << bits.Len(uint(n)*3/2))
	mask := uint64(len(table) - 1)
	for i := range int32(n) {
		at := hash(i) & mask
		for table[at] >= 0 && !same(table[at], i) {
			at = (at + 1) & mask
		}
		if table[at] >= 0 {
			report(table[at], i)
			continue
		}
		table[at] = i
	}
}

func sorted(v [3]int32) [3]int32 {
	lo, hi := min(v[0], v[1], v[2]), max(v[0], v[1], v[2])
	return [3]int32{lo, v[0] ^ v[1] ^ v[2] ^ lo ^ hi, hi}
}

// FieldNames returns the names of fields in alphabetical order.
func FieldNames(fields map[string][]float64) []string { return slices.Sorted(maps.Keys(fields)) }
