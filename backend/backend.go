// Package backend is where kernels run: a device that owns the arrays and executes data-parallel loops over them.
// backend/cpu runs them on goroutines, backend/cuda on an NVIDIA GPU. Package primitives has the data-parallel building
// blocks for both.
package backend

// Loop is a kernel with its arguments, prepared once and run many times.
type Loop interface {
	// Range runs the kernel for every index of [lo, hi). Ranges of one loop may run at the same time, so that what
	// they share is reduced without regard to order.
	Range(lo, hi int)
}

// Coarse is a loop each index of which is much work.
type Coarse interface {
	Loop
	// Grain is how many indices a thread is to take at a time.
	Grain() int
}

// Device executes loops. Calls come from one goroutine.
//
// A device with memory of its own is also a [Memory]. It runs only loops that were made for it, and may still be at
// work on one when Run returns: what is called later sees the result all the same, because everything happens in the
// order of the calls. The host looks at results through [Download] alone, which waits for them.
type Device interface {
	// Name is what the summary calls the device: "cpu" or "cuda".
	Name() string
	// Threads is how many ranges run at the same time.
	Threads() int
	// Run executes the loop over [lo, hi). It allocates nothing.
	Run(l Loop, lo, hi int)
	// Close ends the device's workers.
	Close()
}

// Fitter is a device on which not every loop can run.
type Fitter interface {
	// Fits returns why a loop cannot, such as for what its blocks share, or nil.
	Fits(l Loop) error
}

// Recorder is a device that queues a sequence of loops in one call.
type Recorder interface {
	// Record returns what queue runs, without running it. queue must neither wait for the device nor take memory.
	Record(queue func() error) (Recording, error)
}

// Recording is a sequence of loops with their arguments as they were.
type Recording interface {
	// Launch queues the sequence. It allocates nothing.
	Launch()
	Close()
}
