// Package parallel divides work among the processors. What callers make of it must not depend on how many there are.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parts is into how many ranges n items are divided, so that each has at least so many, for all processors.
func Parts(n, least int) int { return max(1, min(runtime.GOMAXPROCS(0), n/max(1, least))) }

// Offsets adds up, for each range of Ranges, the sizes of its items, and returns where each range begins if they follow
// one another, and where the last one ends.
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

// Ranges calls f with the ranges [lo, hi) of n items, of which there are the given number, on a goroutine each. It
// returns when all calls have.
func Ranges(n, parts int, f func(part, lo, hi int)) {
	var wait sync.WaitGroup
	for k := 1; k < parts; k++ {
		wait.Go(func() { f(k, n*k/parts, n*(k+1)/parts) })
	}
	f(0, 0, n/parts)
	wait.Wait()
}

// All tells whether n items are all as they should be. It looks at ranges of at least so many on a goroutine each, and
// not at those behind a bad one of its range.
func All(n, least int, good func(i int) bool) bool {
	var bad atomic.Bool
	Ranges(n, Parts(n, least), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if !good(i) {
				bad.Store(true)
				return
			}
		}
	})
	return !bad.Load()
}
