package cuda

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// deviceComm is a backend.DeviceComm over NCCL, with a stream of its own.
type deviceComm struct {
	d           *Device
	nccl        *nccl
	stream      *Stream
	ready, done *Event     // the last points that the other stream waits for: ready of compute, done of stream
	mu          sync.Mutex // serialises Abort and Close
	comm        atomic.Uintptr
}

// errAborted is the error of calls after Abort.
var errAborted = errors.New("cuda: the device communicator was aborted because a rank was lost")

var _ backend.Linker = (*Device)(nil)

// DeviceID implements backend.Linker.
func (d *Device) DeviceID() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s, bus %s", host, d.info.Bus)
}

// Link implements backend.Linker.
func (d *Device) Link(rank, size int, id []byte) (_ backend.DeviceComm, err error) {
	library, err := ncclLibrary()
	if err != nil {
		return nil, err
	}
	if len(id) != uniqueIDBytes {
		return nil, fmt.Errorf("cuda: the id of a device communicator has %d bytes, want %d", len(id), uniqueIDBytes)
	}
	l := &deviceComm{d: d, nccl: library}
	defer func() {
		if err != nil {
			l.free()
		}
	}()
	if l.stream, err = d.newPriorityStream(); err != nil {
		return nil, err
	}
	for _, e := range []**Event{&l.ready, &l.done} {
		if *e, err = d.NewEvent(); err != nil {
			return nil, err
		}
	}
	var comm uintptr
	err = library.call(d, ncclCommInitRankScalable, uintptr(unsafe.Pointer(&comm)), uintptr(size), uintptr(rank), 1,
		uintptr(unsafe.Pointer(&id[0])), 0)
	l.comm.Store(comm)
	return l, err
}

// waitForCompute makes the communicator's stream wait for everything queued before on the compute stream.
func (l *deviceComm) waitForCompute() error {
	if l.d.compute == l.stream {
		return nil
	}
	return errors.Join(l.d.compute.Record(l.ready), l.stream.Wait(l.ready))
}

// call queues an operation of NCCL. After Abort it returns errAborted.
func (l *deviceComm) call(c ncclCall, args [maxArgs]uintptr) error {
	if l.d.err != nil {
		return l.d.err
	}
	if l.comm.Load() == 0 {
		return l.d.fail(errAborted)
	}
	if err := l.nccl.callNoAlloc(l.d, c, args); err != nil {
		return l.d.fail(fmt.Errorf("cuda: %w", err))
	}
	return nil
}

func (l *deviceComm) Fork(f func() error) error {
	if err := l.waitForCompute(); err != nil {
		return err
	}
	main := l.d.compute
	l.d.compute = l.stream
	err := f()
	l.d.compute = main
	return errors.Join(err, l.stream.Record(l.done))
}

func (l *deviceComm) Exchange(send, recv []backend.Message) error {
	if err := l.waitForCompute(); err != nil {
		return err
	}
	endSpan := l.d.traceSpan("exchange", l.stream)
	runtime.LockOSThread() // NCCL keeps the open group in a thread-local variable
	defer runtime.UnlockOSThread()
	if err := l.call(ncclGroupStart, [maxArgs]uintptr{}); err != nil {
		return err
	}
	var err error
	for _, m := range recv {
		err = errors.Join(err, l.message(ncclRecv, m))
	}
	for _, m := range send {
		err = errors.Join(err, l.message(ncclSend, m))
	}
	err = errors.Join(err, l.call(ncclGroupEnd, [maxArgs]uintptr{}))
	endSpan()
	return errors.Join(err, l.stream.Record(l.done))
}

func (l *deviceComm) message(c ncclCall, m backend.Message) error {
	return l.call(c, [maxArgs]uintptr{uintptr(unsafe.Pointer(unsafe.SliceData(m.Data))), uintptr(len(m.Data)), ncclUint8,
		uintptr(m.Peer), l.comm.Load(), l.stream.handle})
}

func (l *deviceComm) Join() error { return l.d.compute.Wait(l.done) }

func (l *deviceComm) Max(keys []uint64) error {
	if err := l.waitForCompute(); err != nil {
		return err
	}
	endSpan := l.d.traceSpan("reduce", l.stream)
	address := uintptr(unsafe.Pointer(unsafe.SliceData(keys)))
	if err := l.call(ncclAllReduce, [maxArgs]uintptr{address, address, uintptr(len(keys)), ncclUint64, ncclMax,
		l.comm.Load(),
		l.stream.handle}); err != nil {
		return err
	}
	endSpan()
	return l.stream.Record(l.done)
}

func (l *deviceComm) Abort() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if comm := l.comm.Swap(0); comm != 0 {
		l.nccl.call(l.d, ncclCommAbort, comm)
	}
}

// Close waits until all ranks have called it.
func (l *deviceComm) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if comm := l.comm.Swap(0); comm != 0 {
		err = errors.Join(l.nccl.call(l.d, ncclCommFinalize, comm), l.nccl.call(l.d, ncclCommDestroy, comm))
	}
	l.free()
	return err
}

func (l *deviceComm) free() {
	l.stream.close()
	for _, e := range []*Event{l.ready, l.done} {
		if e != nil {
			e.Close()
		}
	}
}
