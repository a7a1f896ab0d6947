package backend

// ReadbackDevice is a device that copies results to the host while it executes later calls.
type ReadbackDevice interface {
	// NewReadback returns a readback of the given size.
	NewReadback(bytes int) (Readback, error)
}

// Readback copies an array of fixed size from the device to the host asynchronously. It can be used many times.
type Readback interface {
	// Start queues a copy of src after all calls before. src is on the device and has the size of the readback. It
	// allocates nothing.
	Start(src []byte) error
	// Read waits for the last copy that was started, but not for calls after it, and returns the bytes. They are valid
	// until the next copy is started.
	Read() ([]byte, error)
	Close() error
}

// NewReadback returns a readback for any device. On a device that is not a [ReadbackDevice] starting a copy waits for
// it.
func NewReadback(d Device, bytes int) (Readback, error) {
	if r, ok := d.(ReadbackDevice); ok {
		return r.NewReadback(bytes)
	}
	return &synchronous{d, make([]byte, bytes)}, nil
}

// synchronous is a readback whose Start waits for the copy.
type synchronous struct {
	dev    Device
	buffer []byte
}

func (r *synchronous) Start(src []byte) error { return Download(r.dev, r.buffer, src) }
func (r *synchronous) Read() ([]byte, error)  { return r.buffer, nil }
func (r *synchronous) Close() error           { return nil }
