// Package bench measures throughput and sets it beside what the machine's memory can do.
package bench

import (
	"sync"
	"time"
)

// CopyBandwidth measures how many bytes a second the given number of threads read and write when they copy arrays far
// larger than the caches: the best of several passes.
func CopyBandwidth(threads int) float64 {
	const words = 1 << 25 // of float64 over all threads: 256 MiB
	from, to := make([]float64, words), make([]float64, words)
	for i := range from {
		from[i] = float64(i)
	}
	copy(to, from) // so that all pages are there
	best := 0.0
	for range 7 {
		begin := time.Now()
		var wg sync.WaitGroup
		for t := range threads {
			lo, hi := words*t/threads, words*(t+1)/threads
			wg.Go(func() { copy(to[lo:hi], from[lo:hi]) })
		}
		wg.Wait()
		best = max(best, 16*words/time.Since(begin).Seconds())
	}
	return best
}
