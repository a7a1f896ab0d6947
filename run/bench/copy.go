// Package bench measures throughput and sets it beside what the machine's memory can do.
package bench

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/backend"
)

// What measuring the bandwidth takes, in bytes: two arrays.
const (
	wordsOnHost    = 1 << 25 // of float64 over all threads: 256 MiB
	wordsOnDevice  = 1 << 27 // 1 GiB
	copiedOnHost   = 2 * 8 * wordsOnHost
	copiedOnDevice = 2 * 8 * wordsOnDevice
)

// CopyBandwidth measures how many bytes a second the given number of threads read and write when they copy arrays far
// larger than the caches: the best of several passes.
func CopyBandwidth(threads int) float64 {
	const words = wordsOnHost
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

// CopyOn measures the copy bandwidth of a device.
func CopyOn(dev backend.Device, threads int) (float64, error) {
	if _, apart := dev.(backend.Memory); !apart {
		return CopyBandwidth(threads), nil
	}
	const words = wordsOnDevice
	from, err := backend.Make[float64](dev, words)
	if err != nil {
		return 0, err
	}
	defer backend.Free(dev, from)
	to, err := backend.Make[float64](dev, words)
	if err != nil {
		return 0, err
	}
	defer backend.Free(dev, to)
	best := 0.0
	for range 5 {
		const turns = 10
		begin := time.Now()
		for range turns {
			if err := backend.Copy(dev, to, from); err != nil {
				return 0, err
			}
		}
		if err := backend.Sync(dev); err != nil {
			return 0, err
		}
		best = max(best, turns*16*words/time.Since(begin).Seconds())
	}
	return best, nil
}

// Bandwidths prints the copy bandwidth of a device with each number of threads and returns them. For lines of JSON,
// which do not tell shares of it, nothing is measured.
func Bandwidths(w io.Writer, asJSON bool, threads []int, open func(threads int) (backend.Device, func(), error)) (
	map[int]float64, error) {
	copying := map[int]float64{}
	if asJSON {
		return copying, nil
	}
	for _, t := range threads {
		dev, done, err := open(t)
		if err != nil {
			return nil, err
		}
		copying[t], err = CopyOn(dev, t)
		fmt.Fprintf(w, "copy bandwidth, %s: %.1f GB/s\n", Named(dev), copying[t]/1e9)
		done()
		if err != nil {
			return nil, err
		}
	}
	return copying, nil
}

// Named says what a device is.
func Named(dev backend.Device) string {
	if _, apart := dev.(backend.Memory); apart {
		return dev.Name()
	}
	return fmt.Sprintf("%s, threads: %d", dev.Name(), dev.Threads())
}
