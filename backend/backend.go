// Package backend is where kernels run: a device that owns the arrays and executes data-parallel loops over them.
// backend/cpu runs them on goroutines.
package backend

// Loop is a kernel with its arguments, prepared once and run many times.
type Loop interface {
	// Range runs the kernel for every index of [lo, hi). Ranges of one loop may run at the same time, so that what
	// they share is reduced without regard to order.
	Range(lo, hi int)
}

// Device executes loops. Calls come from one goroutine, and each loop has finished when Run returns.
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
