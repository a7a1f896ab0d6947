package primitives

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// SortByKey sorts keys and permutes values in the same way. Values of equal keys keep their order.
func SortByKey[K Key](w *Workspace, keys []K, values []int32) error {
	if err := checkEqualLengths("sort", len(keys), len(values)); err != nil {
		return err
	}
	if w.accel != nil {
		return w.accel.Sort(backend.KindOf[K](), addressOf(keys), addressOf(values), len(keys))
	}
	if len(keys) == 0 {
		return nil
	}
	valueOf[sorter[K]](w).sort(keys, values, bits.Len64(uint64(slices.Max(keys))))
	return nil
}

// sorter holds the second pair of buffers of a radix sort.
type sorter[K Key] struct {
	keys   []K
	values []int32
}

// sort sorts by 8 bits at a time, from the lowest on. width is the number of bits of the greatest key.
func (s *sorter[K]) sort(keys []K, values []int32, width int) {
	s.keys = slices.Grow(s.keys[:0], len(keys))[:len(keys)]
	s.values = slices.Grow(s.values[:0], len(keys))[:len(keys)]
	k, v, k2, v2 := keys, values, s.keys, s.values
	for shift := 0; shift < width; shift += 8 {
		var next [256]int32
		for _, key := range k {
			next[uint8(key>>shift)]++
		}
		var sum int32
		for d, n := range next {
			next[d] = sum
			sum += n
		}
		for i, key := range k {
			to := next[uint8(key>>shift)]
			next[uint8(key>>shift)]++
			k2[to], v2[to] = key, v[i]
		}
		k, v, k2, v2 = k2, v2, k, v
	}
	if unsafe.SliceData(k) != unsafe.SliceData(keys) {
		copy(keys, k)
		copy(values, v)
	}
}

// OrderByCell sorts the indices of cell by cell number: order lists the i with cell[i] = 0, then those with cell[i] = 1
// and so on, in ascending order within a cell, and order[starts[c]:starts[c+1]] are the indices of cell c. starts has
// cells + 1 elements, order as many as cell. Cell numbers outside of [0, cells) are an error.
func OrderByCell(w *Workspace, cell []int32, cells int, starts, order []int32) error {
	if err := checkEqualLengths("order by cell", len(cell), len(order)); err != nil {
		return err
	}
	if cells < 0 || len(starts) != cells+1 {
		return fmt.Errorf("order by cell: starts has %d elements, want %d, one more than cells", len(starts), cells+1)
	}
	if err := checkLength("order by cell", cells); err != nil {
		return err
	}
	if err := CheckIndex(w, cell, cells); err != nil {
		return fmt.Errorf("order by cell: %w", err)
	}
	if w.accel != nil {
		return w.accel.Order(addressOf(cell), cells, addressOf(starts), addressOf(order), len(cell))
	}
	clear(starts)
	for _, c := range cell {
		starts[c+1]++
	}
	for c := range cells {
		starts[c+1] += starts[c]
	}
	// starts[c] is where the next index of cell c goes. At the end it is the start of cell c+1.
	for i, c := range cell {
		order[starts[c]] = int32(i)
		starts[c]++
	}
	copy(starts[1:], starts[:cells])
	starts[0] = 0
	return nil
}

// ReduceByKey stores, for each run of equal consecutive keys, the key and the reduction of the run's values, and
// returns the number of runs. The outputs must have at least the length of keys. Min and max treat NaN and zeros as
// [Min] and [Max] do. Values are added in order: sums of floats are rounded after each addition, sums of integers wrap
// around.
func ReduceByKey[K Key, V Signed](w *Workspace, op backend.Op, outKeys []K, outValues []V, keys []K,
	values []V) (int, error) {
	if err := checkEqualLengths("reduce by key", len(keys), len(values)); err != nil {
		return 0, err
	}
	if len(outKeys) < len(keys) || len(outValues) < len(keys) {
		return 0, fmt.Errorf("reduce by key: outputs of %d keys and %d values, want %d", len(outKeys), len(outValues),
			len(keys))
	}
	if op > backend.Add {
		return 0, fmt.Errorf("reduce by key: unknown operation %d", op)
	}
	if w.accel != nil {
		return w.accel.ReduceByKey(op, backend.KindOf[K](), backend.KindOf[V](), addressOf(outKeys), addressOf(outValues),
			addressOf(keys), addressOf(values), len(keys))
	}
	n := 0
	for i := 0; i < len(keys); n++ {
		key, v := keys[i], values[i]
		for i++; i < len(keys) && keys[i] == key; i++ {
			v = combine(op, v, values[i])
		}
		outKeys[n], outValues[n] = key, canonicalNaN(v)
	}
	return n, nil
}
