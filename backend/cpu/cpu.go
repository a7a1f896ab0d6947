// Package cpu implements a backend.Device by a fixed pool of goroutines: [New] starts a [Device], whose goroutines take
// blocks of indices, each first from its own part of a loop's range. The package also reports and returns the memory of
// the host, see [HostMemory] and [ReleaseMemory].
package cpu

import (
	"runtime"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/backend"
)

// thisMachine is what limits the memory of a process in no control group with a limit.
const thisMachine = "free memory of this machine"

// A thread takes between minBlock and maxBlock indices at a time, unless the loop is a backend.CoarseLoop: enough
// work to hide the cost of taking a block, and about blocksPerThread blocks for each thread to balance the load.
const (
	minBlock        = 256
	maxBlock        = 2048
	blocksPerThread = 4
)

// Device is a pool of goroutines. The goroutine that calls Run works too.
type Device struct {
	threads    int
	processors int      // of this process; 0 if other processes need them too
	workers    []worker // without the caller

	// The loop being run, and the blocks of its range that are left, by thread. Workers read them after they are called.
	loop   backend.Loop
	lo, hi int
	block  int
	shares []share
}

// openThreads is the number of threads of all devices of the process that have workers.
var openThreads atomic.Int64

// New starts a device with the given number of threads, or with GOMAXPROCS threads if threads is 0 or negative.
func New(threads int) *Device { return start(threads, runtime.GOMAXPROCS(0)) }

// NewCrowded is New for a machine whose processes have more threads than it has processors: threads that wait sleep at
// once.
func NewCrowded(threads int) *Device { return start(threads, 0) }

func start(threads, processors int) *Device {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	d := &Device{threads: threads, processors: processors}
	if threads == 1 {
		return d
	}
	openThreads.Add(int64(threads))
	d.workers, d.shares = make([]worker, threads-1), make([]share, threads)
	for k := range d.workers {
		w := &d.workers[k]
		w.wake, w.done = make(chan struct{}, 1), make(chan struct{}, 1)
		go d.work(w, k+1)
	}
	return d
}

func (d *Device) Name() string { return "cpu" }

func (d *Device) Threads() int { return d.threads }

// polls reports whether each thread has a processor, so that threads may poll while they wait for each other.
func (d *Device) polls() bool { return openThreads.Load() <= int64(d.processors) }

// Run executes the loop over [lo, hi) in blocks. A thread first takes those of its own part of the range, the same in
// each loop, so that it finds in its caches what it wrote in the loop before.
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
	d.loop, d.lo, d.hi, d.block = l, lo, hi, block
	blocks := (hi - lo + block - 1) / block
	for k := range d.shares {
		d.shares[k].set(k*blocks/d.threads, (k+1)*blocks/d.threads)
	}
	for k := range d.workers {
		d.workers[k].notify(called)
	}
	d.runBlocks(0)
	for k := range d.workers {
		d.workers[k].join(d.polls())
	}
	d.loop = nil
}

func (d *Device) work(w *worker, thread int) {
	for w.await(d.polls()) {
		d.runBlocks(thread)
		w.finish()
	}
}

// runBlocks executes the blocks of a thread's share, and then what is left of those of other threads.
func (d *Device) runBlocks(thread int) {
	for k := range d.shares {
		s := &d.shares[(thread+k)%len(d.shares)]
		for {
			b, ok := s.take(k > 0)
			if !ok {
				break
			}
			lo := d.lo + b*d.block
			d.loop.Range(lo, min(lo+d.block, d.hi))
		}
	}
}

// Close ends the workers. The device must be idle.
func (d *Device) Close() {
	for k := range d.workers {
		d.workers[k].notify(closed)
	}
	if d.workers != nil {
		openThreads.Add(-int64(d.threads))
	}
	d.workers = nil
}
