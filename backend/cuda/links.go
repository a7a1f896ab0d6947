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
	d      *Device
	nccl   *nccl
	stream *Stream
	ready  *Event         // on the compute stream: stream waits for it before an operation of the communicator
	done   *Event         // on stream: the compute stream waits for it in Join
	mu     sync.Mutex     // serialises Abort and Close
	comm   atomic.Uintptr // NCCL's handle of the communicator; 0 after Abort or Close
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
	dc := &deviceComm{d: d, nccl: library}
	defer func() {
		if err != nil {
			dc.free()
		}
	}()
	if dc.stream, err = d.newPriorityStream(); err != nil {
		return nil, err
	}
	for _, e := range []**Event{&dc.ready, &dc.done} {
		if *e, err = d.NewEvent(); err != nil {
			return nil, err
		}
	}
	var comm uintptr
	// Unlike ncclCommInitRank this function takes the address of the ids, of which there is 1.
	err = library.call(d, ncclCommInitRankScalable, uintptr(unsafe.Pointer(&comm)), uintptr(size), uintptr(rank), 1,
		uintptr(unsafe.Pointer(&id[0])), 0)
	dc.comm.Store(comm)
	return dc, err
}

// waitForCompute makes the communicator's stream wait for everything queued before on the compute stream.
func (dc *deviceComm) waitForCompute() error {
	if dc.d.compute == dc.stream {
		return nil
	}
	return errors.Join(dc.d.compute.Record(dc.ready), dc.stream.Wait(dc.ready))
}

// call queues an operation of NCCL. After Abort it returns errAborted.
func (dc *deviceComm) call(c ncclCall, args [maxArgs]uintptr) error {
	if dc.d.err != nil {
		return dc.d.err
	}
	if dc.comm.Load() == 0 {
		return dc.d.fail(errAborted)
	}
	if err := dc.nccl.callNoAlloc(dc.d, c, args); err != nil {
		return dc.d.fail(fmt.Errorf("cuda: %w", err))
	}
	return nil
}

func (dc *deviceComm) Fork(f func() error) error {
	if err := dc.waitForCompute(); err != nil {
		return err
	}
	main := dc.d.compute
	dc.d.compute = dc.stream
	err := f()
	dc.d.compute = main
	return errors.Join(err, dc.stream.Record(dc.done))
}

func (dc *deviceComm) Exchange(send, recv []backend.Message) error {
	if err := dc.waitForCompute(); err != nil {
		return err
	}
	endSpan := dc.d.traceSpan("exchange", dc.stream)
	runtime.LockOSThread() // NCCL keeps the open group in a thread-local variable
	defer runtime.UnlockOSThread()
	if err := dc.call(ncclGroupStart, [maxArgs]uintptr{}); err != nil {
		return err
	}
	var err error
	for _, m := range recv {
		err = errors.Join(err, dc.message(ncclRecv, m))
	}
	for _, m := range send {
		err = errors.Join(err, dc.message(ncclSend, m))
	}
	err = errors.Join(err, dc.call(ncclGroupEnd, [maxArgs]uintptr{}))
	endSpan()
	return errors.Join(err, dc.stream.Record(dc.done))
}

func (dc *deviceComm) message(c ncclCall, m backend.Message) error {
	return dc.call(c, [maxArgs]uintptr{uintptr(unsafe.Pointer(unsafe.SliceData(m.Data))), uintptr(len(m.Data)), ncclUint8,
		uintptr(m.Peer), dc.comm.Load(), dc.stream.handle})
}

func (dc *deviceComm) Join() error { return dc.d.compute.Wait(dc.done) }

// Max implements backend.DeviceComm.
func (dc *deviceComm) Max(keys []uint64) error {
	if err := dc.waitForCompute(); err != nil {
		return err
	}
	endSpan := dc.d.traceSpan("reduce", dc.stream)
	address := uintptr(unsafe.Pointer(unsafe.SliceData(keys)))
	if err := dc.call(ncclAllReduce, [maxArgs]uintptr{address, address, uintptr(len(keys)), ncclUint64, ncclMax,
		dc.comm.Load(),
		dc.stream.handle}); err != nil {
		return err
	}
	endSpan()
	return dc.stream.Record(dc.done)
}

func (dc *deviceComm) Abort() {
	dc.mu.Lock()
	defer dc.mu.Unlock()
	if comm := dc.comm.Swap(0); comm != 0 {
		dc.nccl.call(dc.d, ncclCommAbort, comm)
	}
}

// Close waits until all ranks have called it.
func (dc *deviceComm) Close() error {
	dc.mu.Lock()
	defer dc.mu.Unlock()
	var err error
	if comm := dc.comm.Swap(0); comm != 0 {
		err = errors.Join(dc.nccl.call(dc.d, ncclCommFinalize, comm), dc.nccl.call(dc.d, ncclCommDestroy, comm))
	}
	dc.free()
	return err
}

func (dc *deviceComm) free() {
	dc.stream.close()
	for _, e := range []*Event{dc.ready, dc.done} {
		if e != nil {
			e.Close()
		}
	}
}
