package partition

import "github.com/atoll-hpc/atoll/internal/parallel"

const (
	digitBits = 11 // histograms of 2048 counters stay in the first-level cache
	digits    = (64 + digitBits - 1) / digitBits
)

// histogram holds, for each value of a digit, the number of keys, and then the position of the next key.
type histogram [1 << digitBits]int32

func digit(key uint64, d int) int { return int(key >> (d * digitBits) & (1<<digitBits - 1)) }

// SortByKey sorts keys ascending, and permutes ids in the same way. The sort is stable. It is a radix sort in which
// each thread moves a range of the keys; digits that are the same in all keys are skipped.
func SortByKey(keys []uint64, ids []int32) {
	parts := parallel.Parts(len(keys), 50_000) // fewer keys are not worth a goroutine
	fromKeys, fromIDs := keys, ids
	toKeys, toIDs := make([]uint64, len(keys)), make([]int32, len(ids))
	counts := make([]histogram, parts)
	for d := range digits {
		if !digitDiffers(keys, d, parts) {
			continue
		}
		parallel.Ranges(len(keys), parts, func(part, lo, hi int) {
			count := &counts[part]
			clear(count[:])
			for _, key := range fromKeys[lo:hi] {
				count[digit(key, d)]++
			}
		})
		next := int32(0)
		for value := range counts[0] {
			for part := range counts {
				c := &counts[part][value]
				next, *c = next+*c, next
			}
		}
		parallel.Ranges(len(keys), parts, func(part, lo, hi int) {
			count := &counts[part]
			for i := lo; i < hi; i++ {
				key := fromKeys[i]
				next := &count[digit(key, d)]
				toKeys[*next], toIDs[*next] = key, fromIDs[i]
				*next++
			}
		})
		fromKeys, toKeys = toKeys, fromKeys
		fromIDs, toIDs = toIDs, fromIDs
	}
	if len(keys) > 0 && &fromKeys[0] != &keys[0] {
		parallel.Ranges(len(keys), parts, func(_, lo, hi int) {
			copy(keys[lo:hi], fromKeys[lo:hi])
			copy(ids[lo:hi], fromIDs[lo:hi])
		})
	}
}

// digitDiffers reports whether digit d is not the same in all keys.
func digitDiffers(keys []uint64, d, parts int) bool {
	found := make([]bool, parts)
	parallel.Ranges(len(keys), parts, func(part, lo, hi int) {
		for _, key := range keys[lo:hi] {
			if digit(key, d) != digit(keys[0], d) {
				found[part] = true
				return
			}
		}
	})
	for _, f := range found {
		if f {
			return true
		}
	}
	return false
}

// Permuted returns the values of which the indices are given, such as those that SortByKey has sorted.
func Permuted[T any](values []T, order []int32) []T {
	out := make([]T, len(order))
	for k, from := range order {
		out[k] = values[from]
	}
	return out
}
