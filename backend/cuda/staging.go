package cuda

import "errors"

// staging orders the copy stream and the compute stream.
type staging struct{ ready, fetched, delivered *Event }

func (s *staging) open(d *Device) error {
	for _, e := range []**Event{&s.ready, &s.fetched, &s.delivered} {
		var err error
		if *e, err = d.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

func (s *staging) close() {
	s.ready.Close()
	s.fetched.Close()
	s.delivered.Close()
}

// Pin implements backend.Staging.
func (d *Device) Pin(n int) ([]byte, error) { return Pinned[byte](d, n) }

// Unpin implements backend.Staging.
func (d *Device) Unpin(b []byte) error { return FreePinned(d, b) }

// Fetch implements backend.Staging: on the copy stream, after what the compute stream holds now.
func (d *Device) Fetch(dst, src []byte) error {
	if err := errors.Join(d.compute.Record(d.staging.ready), d.copy.Wait(d.staging.ready)); err != nil {
		return err
	}
	done := d.span("fetch", d.copy)
	err := Download(d.copy, dst, src)
	done()
	return errors.Join(err, d.copy.Record(d.staging.fetched))
}

// Fetched implements backend.Staging.
func (d *Device) Fetched() error { return d.staging.fetched.Sync() }

// Deliver implements backend.Staging: on the copy stream, before what the compute stream is given later.
func (d *Device) Deliver(dst, src []byte) error {
	done := d.span("deliver", d.copy)
	err := Upload(d.copy, dst, src)
	done()
	return errors.Join(err, d.copy.Record(d.staging.delivered), d.compute.Wait(d.staging.delivered))
}
