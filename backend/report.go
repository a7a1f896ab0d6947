package backend

// Reporter is a device whose host reads results while the device works on.
type Reporter interface {
	// NewReport returns room on the host for so many bytes.
	NewReport(bytes int) (Report, error)
}

// Report is what an array held at one moment, on the host.
type Report interface {
	// Take queues a copy of src, on the device and as long as the report, after everything called before. It allocates
	// nothing.
	Take(src []byte) error
	// Read waits for what was taken last, and not for what was called since, and returns it until it is taken anew.
	Read() ([]byte, error)
	Close() error
}

// NewReport returns one for a device. One that is no [Reporter] is waited for when it is taken.
func NewReport(d Device, bytes int) (Report, error) {
	if r, ok := d.(Reporter); ok {
		return r.NewReport(bytes)
	}
	return &direct{d, make([]byte, bytes)}, nil
}

// direct is of a device that is waited for.
type direct struct {
	dev  Device
	held []byte
}

func (r *direct) Take(src []byte) error { return Download(r.dev, r.held, src) }
func (r *direct) Read() ([]byte, error) { return r.held, nil }
func (r *direct) Close() error          { return nil }
