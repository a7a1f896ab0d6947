package mesh

import (
	"maps"
	"math"
	"math/bits"
	"slices"
)

// duplicateVertices calls report for each vertex at the position of an earlier one, in ascending order. first is the
// first vertex at that position.
func (m *Mesh) duplicateVertices(report func(first, again int32)) {
	hash := func(v int32) uint64 {
		// Adding zero makes -0 and 0 the same.
		return mix(mix(math.Float64bits(m.X[v]+0)) + math.Float64bits(m.Y[v]+0))
	}
	same := func(v, w int32) bool { return m.X[v] == m.X[w] && m.Y[v] == m.Y[w] }
	duplicates(len(m.X), hash, same, report)
}

// duplicateCells calls report for each cell with the same vertices as an earlier one, in ascending order. first is the
// first cell with these vertices.
func (m *Mesh) duplicateCells(report func(first, again int32)) {
	hash := func(c int32) uint64 {
		v := sorted(m.Cells[c])
		return mix(mix(uint64(v[0])<<32|uint64(v[1])) + uint64(v[2]))
	}
	same := func(c, d int32) bool { return sorted(m.Cells[c]) == sorted(m.Cells[d]) }
	duplicates(len(m.Cells), hash, same, report)
}

// duplicates finds equal items among 0..n-1 with an open-addressing hash table. The result does not depend on hash.
func duplicates(n int, hash func(int32) uint64, same func(a, b int32) bool, report func(first, again int32)) {
	if n < 2 {
		return
	}
	table := NoIDs(1 << bits.Len(uint(n)*3/2))
	mask := uint64(len(table) - 1)
	for i := range int32(n) {
		slot := hash(i) & mask
		for table[slot] >= 0 && !same(table[slot], i) {
			slot = (slot + 1) & mask
		}
		if table[slot] >= 0 {
			report(table[slot], i)
			continue
		}
		table[slot] = i
	}
}

func sorted(v [3]int32) [3]int32 {
	lo, hi := min(v[0], v[1], v[2]), max(v[0], v[1], v[2])
	return [3]int32{lo, v[0] ^ v[1] ^ v[2] ^ lo ^ hi, hi}
}

// FieldNames returns the names of fields in alphabetical order.
func FieldNames(fields map[string][]float64) []string { return slices.Sorted(maps.Keys(fields)) }
