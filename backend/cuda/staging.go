package cuda

import "errors"

// staging has the events that order the copy stream and the compute stream.
type staging struct {
	ready      *Event // on the compute stream, before a download
	downloaded *Event // on the copy stream, after the last download
	uploaded   *Event // on the copy stream, after the last upload
}

func (s *staging) open(d *Device) error {
	for _, e := range []**Event{&s.ready, &s.downloaded, &s.uploaded} {
		var err error
		if *e, err = d.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

func (s *staging) close() {
	s.ready.Close()
	s.downloaded.Close()
	s.uploaded.Close()
}

// Pin implements backend.Staging.
func (d *Device) Pin(n int) ([]byte, error) { return Pinned[byte](d, n) }

// Unpin implements backend.Staging.
func (d *Device) Unpin(b []byte) error { return FreePinned(d, b) }

// StartDownload implements backend.Staging: on the copy stream, after everything queued on the compute stream.
func (d *Device) StartDownload(dst, src []byte) error {
	if err := errors.Join(d.compute.Record(d.staging.ready), d.copyStream.Wait(d.staging.ready)); err != nil {
		return err
	}
	endSpan := d.traceSpan("download", d.copyStream)
	err := Download(d.copyStream, dst, src)
	endSpan()
	return errors.Join(err, d.copyStream.Record(d.staging.downloaded))
}

// WaitDownloads implements backend.Staging.
func (d *Device) WaitDownloads() error { return d.staging.downloaded.Sync() }

// StartUpload implements backend.Staging: on the copy stream, before everything queued later on the compute stream.
func (d *Device) StartUpload(dst, src []byte) error {
	endSpan := d.traceSpan("upload", d.copyStream)
	err := Upload(d.copyStream, dst, src)
	endSpan()
	return errors.Join(err, d.copyStream.Record(d.staging.uploaded), d.compute.Wait(d.staging.uploaded))
}
