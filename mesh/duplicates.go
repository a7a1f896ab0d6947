package mesh

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/lattice"
)

// duplicateVertices calls report for each vertex at the position of an earlier one, in ascending order. first is the
// first vertex at that position.
func (m *Mesh) duplicateVertices(report func(first, again int32)) {
	hash := func(v int32) uint64 { return PositionHash(m.X[v], m.Y[v]) }
	same := func(v, w int32) bool { return m.X[v] == m.X[w] && m.Y[v] == m.Y[w] }
	duplicates(len(m.X), hash, same, report)
}

// PositionHash returns a hash of a position, in which -0 and 0 are the same.
func PositionHash(x, y float64) uint64 {
	return lattice.Mix(lattice.Mix(math.Float64bits(x+0)) + math.Float64bits(y+0)) // adding zero to -0 gives 0
}

// duplicateCells calls report for each cell with the same vertices as an earlier one, in ascending order. first is the
// first cell with these vertices.
func (m *Mesh) duplicateCells(report func(first, again int32)) {
	hash := func(c int32) uint64 {
		v := sorted(m.Cells[c])
		return lattice.Mix(lattice.Mix(uint64(v[0])<<32|uint64(v[1])) + uint64(v[2]))
	}
	same := func(c, d int32) bool { return sorted(m.Cells[c]) == sorted(m.Cells[d]) }
	duplicates(len(m.Cells), hash, same, report)
}

// duplicates finds equal items among 0..n-1. Threads first sort the items, each a part of them, into shares, the ranges
// of their hashes; then each searches a share. The result does not depend on hash.
func duplicates(n int, hash func(int32) uint64, same func(a, b int32) bool, report func(first, again int32)) {
	shares := parallel.Parts(n, itemsPerWorker)
	parts := make([][][]int32, shares) // the items of each part, by the share that they are in
	parallel.Ranges(n, shares, func(part, lo, hi int) {
		byShare := make([][]int32, shares)
		for share := range byShare {
			byShare[share] = make([]int32, 0, (hi-lo)/shares*9/8) // a little more than the mean number
		}
		for i := int32(lo); i < int32(hi); i++ {
			// The lowest bits are for the table.
			share := hash(i) >> 32 * uint64(shares) >> 32
			byShare[share] = append(byShare[share], i)
		}
		parts[part] = byShare
	})
	found := make([][][2]int32, shares)
	parallel.Ranges(shares, shares, func(share, _, _ int) {
		ofShare := make([][]int32, len(parts))
		for part, byShare := range parts {
			ofShare[part] = byShare[share]
		}
		found[share] = repeated(slices.Concat(ofShare...), hash, same)
	})
	pairs := slices.Concat(found...)
	slices.SortFunc(pairs, func(p, q [2]int32) int { return cmp.Compare(p[1], q[1]) })
	for _, p := range pairs {
		report(p[0], p[1])
	}
}

// repeated returns each of the items, which ascend, that equals an earlier one, as a pair with the first equal item. It
// uses an open-addressing hash table.
func repeated(items []int32, hash func(int32) uint64, same func(a, b int32) bool) (pairs [][2]int32) {
	table := make([]int32, 1<<bits.Len(uint(len(items))*3/2)) // numbers of items, from 1 on
	mask := uint64(len(table) - 1)
	for _, i := range items {
		slot := hash(i) & mask
		for table[slot] > 0 && !same(table[slot]-1, i) {
			slot = (slot + 1) & mask
		}
		if table[slot] > 0 {
			pairs = append(pairs, [2]int32{table[slot] - 1, i})
			continue
		}
		table[slot] = i + 1
	}
	return pairs
}

func sorted(v [3]int32) [3]int32 {
	lo, hi := min(v[0], v[1], v[2]), max(v[0], v[1], v[2])
	return [3]int32{lo, v[0] ^ v[1] ^ v[2] ^ lo ^ hi, hi}
}

// FieldNames returns the names of fields in alphabetical order.
func FieldNames(fields map[string][]float64) []string { return slices.Sorted(maps.Keys(fields)) }
