package cuda

import (
	"errors"
	"fmt"
	"os"
)

// linkStream is the stream of a device communicator, and its order relative to the compute stream.
type linkStream struct {
	d       *Device
	stream  *Stream
	ready   *Event // on the compute stream: stream waits for it before an operation of the communicator
	done    *Event // on stream: the compute stream waits for it in Join
	pending bool   // an operation was queued since the last Join
}

// errAborted is the error of calls after Abort.
var errAborted = errors.New("cuda: the device communicator was aborted because a rank was lost")

// DeviceID implements backend.Linker.
func (d *Device) DeviceID() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s, bus %s", host, d.info.Bus)
}

func (l *linkStream) open(d *Device) (err error) {
	l.d = d
	if l.stream, err = d.newPriorityStream(); err != nil {
		return err
	}
	for _, e := range []**Event{&l.ready, &l.done} {
		if *e, err = d.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the communicator's stream wait for everything queued before on the compute stream.
func (l *linkStream) begin() error {
	if l.d.compute == l.stream {
		return nil
	}
	return errors.Join(l.d.compute.Record(l.ready), l.stream.Wait(l.ready))
}

// end marks the end of what Join waits for.
func (l *linkStream) end() error {
	l.pending = true
	return l.stream.Record(l.done)
}

func (l *linkStream) Fork(f func() error) error {
	if err := l.begin(); err != nil {
		return err
	}
	main := l.d.compute
	l.d.compute = l.stream
	err := f()
	l.d.compute = main
	return errors.Join(err, l.end())
}

// Join does nothing if nothing is pending: the event may then be of a recording, for which the compute stream cannot
// wait.
func (l *linkStream) Join() error {
	if !l.pending {
		return nil
	}
	l.pending = false
	return l.d.compute.Wait(l.done)
}

func (l *linkStream) free() {
	l.stream.close()
	for _, e := range []*Event{l.ready, l.done} {
		if e != nil {
			e.Close()
		}
	}
}
