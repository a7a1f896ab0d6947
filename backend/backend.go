// Package backend defines the devices that run kernels. A [Device] executes data-parallel loops over arrays; a device
// with separate memory is also a [Memory]. Package backend/cpu implements a device by a pool of goroutines,
// backend/cuda by an NVIDIA GPU. Optional interfaces, such as [Recorder], [Staging] and [Linker], describe what only
// some devices can do. Functions such as [Make], [Upload] and [Download] work on every device. Package
// backend/primitives has reductions, sorts and other data-parallel building blocks for all devices.
package backend

// Loop is a kernel with its arguments, prepared once and run many times.
type Loop interface {
	// Range runs the kernel for every index of [lo, hi). Ranges of one loop may run at the same time, so a reduction
	// must not depend on their order.
	Range(lo, hi int)
}

// CoarseLoop is a loop with much work for each index. A thread therefore takes fewer indices at a time than it
// would of other loops.
type CoarseLoop interface {
	Loop
	// Grain returns the number of indices that a thread takes at a time.
	Grain() int
}

// Device executes loops. Calls come from one goroutine.
//
// A device with separate memory is also a [Memory]. It runs only loops that were prepared for it. Run may return before
// the loop has finished, but the device executes all calls in order, so that a later call sees the results of an
// earlier one. The host reads results with [Download], which waits for them.
type Device interface {
	// Name returns the name of the device in the summary of a run: "cpu" or "cuda".
	Name() string
	// Threads returns how many ranges run at the same time.
	Threads() int
	// Run executes the loop over [lo, hi). It allocates nothing.
	Run(l Loop, lo, hi int)
	// Close ends the device's threads and frees its memory.
	Close()
}

// Fitter is a device with limits that some loops exceed.
type Fitter interface {
	// Fits returns an error if the device cannot run the loop, for example for lack of shared memory.
	Fits(l Loop) error
}

// Recorder is a device that queues a sequence of loops in one call.
type Recorder interface {
	// Record returns the sequence of loops that queue runs, without executing them. queue must neither wait for the
	// device nor allocate memory on it.
	Record(queue func() error) (Recording, error)
}

// Recording is a sequence of loops with the arguments that they had when they were recorded.
type Recording interface {
	// Launch queues the sequence. It allocates nothing.
	Launch()
	Close()
}
