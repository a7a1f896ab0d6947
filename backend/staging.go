package backend

// Staging moves messages between a device with memory of its own and the host while kernels run.
type Staging interface {
	// Pin returns zeroed memory of the host that the device copies from and to by itself. Unpin gives it back, whole.
	Pin(bytes int) ([]byte, error)
	Unpin(b []byte) error
	// Fetch starts a copy of src, on the device, to dst, which Pin gave, as it is when everything called before has
	// finished. Kernels called later run meanwhile; they must leave src alone until Fetched.
	Fetch(dst, src []byte) error
	// Fetched waits for the copies that Fetch started, and not for what was called since.
	Fetched() error
	// Deliver starts a copy of src, which Pin gave, to dst on the device. It runs beside what was called before, which
	// must not use dst unless it came before the last Fetched. What is called later waits for it. src must stay as it
	// is until a later Fetched or Sync.
	Deliver(dst, src []byte) error
}
