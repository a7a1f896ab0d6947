// Package bench measures the throughput of solvers and compares it with the memory bandwidth of the machine. Solvers
// register a Benchmark; it measures on a Machine and prints tables or, for programs, a Timing per line. The package
// itself has benchmarks of whole runs, of the steps of any case, of cost estimates and of transports.
package bench

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/backend"
)

// Sizes for measuring the bandwidth: numbers in an array, and bytes of both arrays.
const (
	wordsOnHost   = 1 << 25 // of float64 over all threads: 256 MiB
	wordsOnDevice = 1 << 27 // 1 GiB
	bytesOnHost   = 2 * 8 * wordsOnHost
	bytesOnDevice = 2 * 8 * wordsOnDevice
)

// CopyBandwidth returns the bytes per second that threads read and write when they copy arrays much larger than caches:
// the best of several passes.
func CopyBandwidth(threads int) float64 {
	const words = wordsOnHost
	from, to := make([]float64, words), make([]float64, words)
	for i := range from {
		from[i] = float64(i)
	}
	copy(to, from) // so that all pages are mapped
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

// DeviceCopyBandwidth returns the copy bandwidth of a device in bytes per second.
func DeviceCopyBandwidth(dev backend.Device, threads int) (float64, error) {
	if _, separate := dev.(backend.Memory); !separate {
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
		const copies = 10
		begin := time.Now()
		for range copies {
			if err := backend.Copy(dev, to, from); err != nil {
				return 0, err
			}
		}
		if err := backend.Sync(dev); err != nil {
			return 0, err
		}
		best = max(best, copies*16*words/time.Since(begin).Seconds())
	}
	return best, nil
}

// Bandwidths prints and returns the copy bandwidth for each number of threads. With asJSON it measures nothing, because
// lines of JSON do not use it.
func Bandwidths(w io.Writer, asJSON bool, threads []int, open func(threads int) (backend.Device, func(), error)) (
	map[int]float64, error) {
	bandwidths := map[int]float64{}
	if asJSON {
		return bandwidths, nil
	}
	for _, t := range threads {
		dev, closeDevice, err := open(t)
		if err != nil {
			return nil, err
		}
		bandwidths[t], err = DeviceCopyBandwidth(dev, t)
		fmt.Fprintf(w, "copy bandwidth, %s: %.1f GB/s\n", DeviceName(dev), bandwidths[t]/1e9)
		closeDevice()
		if err != nil {
			return nil, err
		}
	}
	return bandwidths, nil
}

// DeviceName describes a device.
func DeviceName(dev backend.Device) string {
	if _, separate := dev.(backend.Memory); separate {
		return dev.Name()
	}
	return fmt.Sprintf("%s, threads: %d", dev.Name(), dev.Threads())
}
