package cuda

import (
	"errors"

	"github.com/atoll-hpc/atoll/backend"
)

// report is a backend.Report: pinned memory, and the end of the copy to it.
type report struct {
	d    *Device
	host []byte
	done *Event
}

// NewReport implements backend.Reporter.
func (d *Device) NewReport(bytes int) (backend.Report, error) {
	r := &report{d: d}
	var err error
	if r.host, err = Pinned[byte](d, bytes); err != nil {
		return nil, err
	}
	if r.done, err = d.NewEvent(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *report) Take(src []byte) error {
	if err := Download(r.d.compute, r.host, src); err != nil {
		return err
	}
	return r.d.compute.Record(r.done)
}

func (r *report) Read() ([]byte, error) {
	if err := r.done.Sync(); err != nil {
		return nil, err
	}
	return r.host, nil
}

func (r *report) Close() error {
	r.done.Close()
	return FreePinned(r.d, r.host)
}
