// Package cpu implements a backend.Device by a fixed pool of goroutines: [New] starts a [Device], whose goroutines take
// blocks of indices from a shared counter. It also reports and returns the memory of the host, see [HostMemory] and
// [ReleaseMemory].
package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/backend"
)

// A worker takes between minBlock and maxBlock indices at a time, unless the loop is a backend.CoarseLoop: enough
// work to hide the cost of the shared counter, and about blocksPerThread blocks for each thread to balance the
// load.
const (
	minBlock        = 256
	maxBlock        = 2048
	blocksPerThread = 4
)

// Device is a pool of goroutines. The goroutine that calls Run works too.
type Device struct {
	threads int
	wake    []chan struct{} // one for each worker, without the caller
	working sync.WaitGroup

	// The loop being run. Workers read it after they are woken.
	loop  backend.Loop
	hi    int
	block int
	next  atomic.Int64
}

// New starts a device with the given number of threads, or with GOMAXPROCS threads if threads is 0 or negative.
func New(threads int) *Device {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	d := &Device{threads: threads}
	for range threads - 1 {
		wake := make(chan struct{}, 1)
		d.wake = append(d.wake, wake)
		go d.work(wake)
	}
	return d
}

func (d *Device) Name() string { return "cpu" }

func (d *Device) Threads() int { return d.threads }

// Run executes the loop over [lo, hi) in blocks that the threads take in turn.
func (d *Device) Run(l backend.Loop, lo, hi int) {
	block := min(max((hi-lo)/(blocksPerThread*d.threads), minBlock), maxBlock) &^ (minBlock - 1)
	if c, ok := l.(backend.CoarseLoop); ok {
		block = c.Grain()
	}
	if hi-lo <= block || d.threads == 1 {
		if lo < hi {
			l.Range(lo, hi)
		}
		return
	}
	d.loop, d.hi, d.block = l, hi, block
	d.next.Store(int64(lo))
	d.working.Add(len(d.wake))
	for _, w := range d.wake {
		w <- struct{}{}
	}
	d.runBlocks()
	d.working.Wait()
	d.loop = nil
}

func (d *Device) work(wake chan struct{}) {
	for range wake {
		d.runBlocks()
		d.working.Done()
	}
}

func (d *Device) runBlocks() {
	for {
		lo := int(d.next.Add(int64(d.block))) - d.block
		if lo >= d.hi {
			return
		}
		d.loop.Range(lo, min(lo+d.block, d.hi))
	}
}

// Close ends the workers. The device must be idle.
func (d *Device) Close() {
	for _, w := range d.wake {
		close(w)
	}
	d.wake = nil
}
