package cuda

import (
	"errors"
	"fmt"
	"time"
	"unsafe"
)

// Stream is a CUDA stream: a queue of operations that are executed in order.
type Stream struct {
	d      *Device
	handle uintptr
}

// nonBlocking makes streams independent of the default stream of the process (CU_STREAM_NON_BLOCKING).
const nonBlocking = 1

func (d *Device) newStream() (*Stream, error) {
	s := &Stream{d: d}
	if err := d.call(cuStreamCreate, uintptr(unsafe.Pointer(&s.handle)), nonBlocking); err != nil {
		return nil, err
	}
	return s, nil
}

// newPriorityStream returns a stream of the highest priority: its pending blocks are scheduled before those of others.
func (d *Device) newPriorityStream() (*Stream, error) {
	s := &Stream{d: d}
	const highest = -100 // lower numbers are higher priorities; the driver clamps them to its range
	var priority int32 = highest
	if err := d.call(cuStreamCreateWithPriority, uintptr(unsafe.Pointer(&s.handle)), nonBlocking,
		uintptr(uint32(priority))); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Stream) close() {
	if s != nil && s.handle != 0 {
		s.d.call(cuStreamDestroy, s.handle)
		s.handle = 0
	}
}

// run queues a call, unless the device has failed.
func (s *Stream) run(c call, args [maxArgs]uintptr) error {
	if s.d.err != nil {
		return s.d.err
	}
	if err := s.d.callNoAlloc(c, args); err != nil {
		return s.d.fail(err)
	}
	return nil
}

func (s *Stream) upload(dst, src unsafe.Pointer, n int) error {
	return s.run(cuMemcpyHtoDAsync, [maxArgs]uintptr{uintptr(dst), uintptr(src), uintptr(n), s.handle})
}

func (s *Stream) download(dst, src unsafe.Pointer, n int) error {
	return s.run(cuMemcpyDtoHAsync, [maxArgs]uintptr{uintptr(dst), uintptr(src), uintptr(n), s.handle})
}

// Upload queues a copy to the device on a stream. src must be Pinned, and must not change until the copy is done.
func Upload[T any](s *Stream, dst, src []T) error {
	if len(dst) != len(src) {
		return fmt.Errorf("cuda: upload of %d elements to an array of %d", len(src), len(dst))
	}
	var t T
	if len(src) == 0 || unsafe.Sizeof(t) == 0 {
		return nil
	}
	return s.upload(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), len(src)*int(unsafe.Sizeof(t)))
}

// Download queues a copy to the host on a stream. dst must be Pinned; it is complete after the stream's next Sync.
func Download[T any](s *Stream, dst, src []T) error {
	if len(dst) != len(src) {
		return fmt.Errorf("cuda: download of %d elements to an array of %d", len(src), len(dst))
	}
	var t T
	if len(src) == 0 || unsafe.Sizeof(t) == 0 {
		return nil
	}
	return s.download(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), len(src)*int(unsafe.Sizeof(t)))
}

// Sync waits for the stream.
func (s *Stream) Sync() error {
	if s.d.capturing {
		return s.d.fail(errors.New("cuda: the host cannot wait for the device while a graph is captured"))
	}
	return s.run(cuStreamSynchronize, [maxArgs]uintptr{s.handle})
}

// Event marks a point in a stream.
type Event struct {
	d      *Device
	handle uintptr
	ms     float32 // where the driver writes the elapsed time
}

// NewEvent returns an event with timing.
func (d *Device) NewEvent() (*Event, error) {
	if d.err != nil {
		return nil, d.err
	}
	e := &Event{d: d}
	if err := d.call(cuEventCreate, uintptr(unsafe.Pointer(&e.handle)), 0); err != nil {
		return nil, err
	}
	return e, nil
}

// Record makes the event complete when all operations queued on the stream so far have.
func (s *Stream) Record(e *Event) error {
	return s.run(cuEventRecord, [maxArgs]uintptr{e.handle, s.handle})
}

// Wait makes operations queued on s later wait for the event, which was recorded on another stream.
func (s *Stream) Wait(e *Event) error {
	return s.run(cuStreamWaitEvent, [maxArgs]uintptr{s.handle, e.handle})
}

// Sync waits until the event has completed.
func (e *Event) Sync() error { return e.d.compute.run(cuEventSynchronize, [maxArgs]uintptr{e.handle}) }

// Since returns the time between two events that have completed.
func (e *Event) Since(start *Event) (time.Duration, error) {
	address := uintptr(unsafe.Pointer(&e.ms))
	if err := e.d.compute.run(cuEventElapsedTime, [maxArgs]uintptr{address, start.handle, e.handle}); err != nil {
		return 0, err
	}
	return time.Duration(float64(e.ms) * float64(time.Millisecond)), nil
}

// Close destroys the event.
func (e *Event) Close() {
	if e != nil && e.handle != 0 {
		e.d.call(cuEventDestroy, e.handle)
		e.handle = 0
	}
}
