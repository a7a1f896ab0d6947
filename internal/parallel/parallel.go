// Package parallel runs loops on all processors. Ranges calls a function with contiguous ranges of items, one per
// goroutine; Each divides the items into more ranges, to balance the load, and handles errors. The results of callers
// must not depend on the number of processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parts returns the number of ranges for n items: one per processor, but fewer if a range would have fewer items than
// minItems.
func Parts(n, minItems int) int { return max(1, min(runtime.GOMAXPROCS(0), n/max(1, minItems))) }

// Offsets returns offsets[0 … parts], the prefix sums of the total sizes of the items in each range of Ranges:
// offsets[k] is the total size of all items before range k.
func Offsets(n, parts int, size func(i int) int) []int {
	start := make([]int, parts+1)
	Ranges(n, parts, func(part, lo, hi int) {
		sum := 0
		for i := lo; i < hi; i++ {
			sum += size(i)
		}
		start[part+1] = sum
	})
	for part := range parts {
		start[part+1] += start[part]
	}
	return start
}

// Ranges divides n items into parts ranges [lo, hi), and calls f with each on a goroutine of its own. It returns when
// all calls have returned.
func Ranges(n, parts int, f func(part, lo, hi int)) {
	var wait sync.WaitGroup
	for k := 1; k < parts; k++ {
		wait.Go(func() { f(k, n*k/parts, n*(k+1)/parts) })
	}
	f(0, 0, n/parts)
	wait.Wait()
}

// All reports whether good is true for all n items. It divides the items into ranges of at least minItems items, and
// stops in a range at the first item that is not good.
func All(n, minItems int, good func(i int) bool) bool {
	var bad atomic.Bool
	Ranges(n, Parts(n, minItems), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if !good(i) {
				bad.Store(true)
				return
			}
		}
	})
	return !bad.Load()
}
