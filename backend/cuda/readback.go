package cuda

import (
	"errors"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// readback implements backend.Readback by pinned memory and an event that marks the end of the copy to it.
type readback struct {
	d      *Device
	pinned []byte
	done   *Event
}

// NewReadback implements backend.ReadbackDevice.
func (d *Device) NewReadback(bytes int) (backend.Readback, error) {
	r := &readback{d: d}
	var err error
	if r.pinned, err = Pinned[byte](d, bytes); err != nil {
		return nil, err
	}
	if r.done, err = d.NewEvent(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *readback) Start(src []byte) error {
	if err := r.copy(src); err != nil {
		return err
	}
	return r.d.compute.Record(r.done)
}

func (r *readback) copy(src []byte) error {
	from, to := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(r.pinned))
	if len(src) == len(r.pinned) && copiesByKernel(to, from, len(src)) {
		return r.d.copyWords(to, from, len(src))
	}
	return Download(r.d.compute, r.pinned, src)
}

func (r *readback) Read() ([]byte, error) {
	if err := r.done.Sync(); err != nil {
		return nil, err
	}
	return r.pinned, nil
}

func (r *readback) Close() error {
	r.done.Close()
	return FreePinned(r.d, r.pinned)
}
