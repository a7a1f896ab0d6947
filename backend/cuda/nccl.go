package cuda

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/dynlib"
)

// ncclCall names a function of NCCL.
type ncclCall int

const (
	ncclGetErrorString ncclCall = iota
	ncclGetUniqueID
	ncclCommInitRankScalable
	ncclCommAbort
	ncclCommFinalize
	ncclCommDestroy
	ncclGroupStart
	ncclGroupEnd
	ncclSend
	ncclRecv
	ncclAllReduce
	ncclCalls
)

var ncclSymbols = [ncclCalls]string{
	"ncclGetErrorString", "ncclGetUniqueId", "ncclCommInitRankScalable", "ncclCommAbort", "ncclCommFinalize",
	"ncclCommDestroy",
	"ncclGroupStart", "ncclGroupEnd", "ncclSend", "ncclRecv", "ncclAllReduce",
}

// Constants of nccl.h.
const (
	ncclUint8     = 1
	ncclInt64     = 4
	ncclUint64    = 5
	ncclSum       = 0
	ncclMax       = 2
	uniqueIDBytes = 128
)

// nccl is the loaded library.
type nccl struct{ address [ncclCalls]uintptr }

var ncclLibrary = sync.OnceValues(func() (*nccl, error) {
	// NVLink multicast (NVLS) speeds up no point-to-point message, and a process that is killed while it uses multicast
	// can leave the NVLink switch unusable.
	if os.Getenv("NCCL_NVLS_ENABLE") == "" {
		os.Setenv("NCCL_NVLS_ENABLE", "0")
	}
	h, err := dynlib.Open("libnccl.so.2")
	if err != nil {
		return nil, fmt.Errorf("NCCL is not installed: %w", err)
	}
	l := new(nccl)
	for c := range ncclCalls {
		if l.address[c], err = dynlib.Symbol(h, ncclSymbols[c]); err != nil {
			return nil, fmt.Errorf("NCCL has no %s: install 2.23 or newer", ncclSymbols[c])
		}
	}
	return l, nil
})

// call calls NCCL with the device's context current.
//
//go:uintptrescapes
func (l *nccl) call(d *Device, c ncclCall, args ...uintptr) error {
	var padded [maxArgs]uintptr
	copy(padded[:], args)
	return l.callNoAlloc(d, c, padded)
}

// callNoAlloc is call without allocations.
func (l *nccl) callNoAlloc(d *Device, c ncclCall, args [maxArgs]uintptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if code := invoke(d.lib.address[cuCtxSetCurrent], [maxArgs]uintptr{d.context}); code != 0 {
		return d.lib.check(cuCtxSetCurrent, code)
	}
	if code := invoke(l.address[c], args); code != 0 {
		return fmt.Errorf("%s: %w", ncclSymbols[c], l.text(code))
	}
	return nil
}

// text returns NCCL's description of an error code.
func (l *nccl) text(code int32) error {
	var describe func(code int32) string
	purego.RegisterFunc(&describe, l.address[ncclGetErrorString])
	return errors.New(describe(code))
}

// LinkID implements backend.Linker.
func (d *Device) LinkID() ([]byte, error) {
	l, err := ncclLibrary()
	if err != nil {
		return nil, err
	}
	id := make([]byte, uniqueIDBytes)
	return id, l.call(d, ncclGetUniqueID, uintptr(unsafe.Pointer(&id[0])))
}

// ncclComm is a backend.DeviceComm over NCCL.
type ncclComm struct {
	linkStream
	nccl *nccl
	mu   sync.Mutex     // serialises Abort and Close
	comm atomic.Uintptr // NCCL's handle of the communicator; 0 after Abort or Close
}

var _ backend.Linker = (*Device)(nil)

// Link implements backend.Linker.
func (d *Device) Link(rank, size int, id []byte) (_ backend.DeviceComm, err error) {
	library, err := ncclLibrary()
	if err != nil {
		return nil, err
	}
	if len(id) != uniqueIDBytes {
		return nil, fmt.Errorf("cuda: the id of a device communicator has %d bytes, want %d", len(id), uniqueIDBytes)
	}
	nc := &ncclComm{nccl: library}
	defer func() {
		if err != nil {
			nc.free()
		}
	}()
	if err := nc.open(d); err != nil {
		return nil, err
	}
	var comm uintptr
	// Unlike ncclCommInitRank this function takes the address of the ids, of which there is 1.
	err = library.call(d, ncclCommInitRankScalable, uintptr(unsafe.Pointer(&comm)), uintptr(size), uintptr(rank), 1,
		uintptr(unsafe.Pointer(&id[0])), 0)
	nc.comm.Store(comm)
	return nc, err
}

// call queues an operation of NCCL. After Abort it returns errAborted.
func (nc *ncclComm) call(c ncclCall, args [maxArgs]uintptr) error {
	if nc.d.err != nil {
		return nc.d.err
	}
	if nc.comm.Load() == 0 {
		return nc.d.fail(errAborted)
	}
	if err := nc.nccl.callNoAlloc(nc.d, c, args); err != nil {
		return nc.d.fail(fmt.Errorf("cuda: %w", err))
	}
	return nil
}

func (nc *ncclComm) Exchange(send, recv []backend.Message) error {
	if err := nc.begin(); err != nil {
		return err
	}
	endSpan := nc.d.traceSpan("exchange", nc.stream)
	runtime.LockOSThread() // NCCL keeps the open group in a thread-local variable
	defer runtime.UnlockOSThread()
	if err := nc.call(ncclGroupStart, [maxArgs]uintptr{}); err != nil {
		return err
	}
	var err error
	for _, m := range recv {
		err = errors.Join(err, nc.message(ncclRecv, m))
	}
	for _, m := range send {
		err = errors.Join(err, nc.message(ncclSend, m))
	}
	err = errors.Join(err, nc.call(ncclGroupEnd, [maxArgs]uintptr{}))
	endSpan()
	return errors.Join(err, nc.end())
}

func (nc *ncclComm) message(c ncclCall, m backend.Message) error {
	return nc.call(c, [maxArgs]uintptr{uintptr(unsafe.Pointer(unsafe.SliceData(m.Data))), uintptr(len(m.Data)), ncclUint8,
		uintptr(m.Peer), nc.comm.Load(), nc.stream.handle})
}

// Max implements backend.DeviceComm.
func (nc *ncclComm) Max(keys []uint64) error {
	return nc.reduce(uintptr(unsafe.Pointer(unsafe.SliceData(keys))), len(keys), ncclUint64, ncclMax)
}

// Sum implements backend.DeviceComm.
func (nc *ncclComm) Sum(words []int64) error {
	return nc.reduce(uintptr(unsafe.Pointer(unsafe.SliceData(words))), len(words), ncclInt64, ncclSum)
}

// reduce replaces n numbers by their reduction over all ranks.
func (nc *ncclComm) reduce(address uintptr, n int, kind, operation uintptr) error {
	if err := nc.begin(); err != nil {
		return err
	}
	endSpan := nc.d.traceSpan("reduce", nc.stream)
	err := nc.call(ncclAllReduce, [maxArgs]uintptr{address, address, uintptr(n), kind, operation, nc.comm.Load(),
		nc.stream.handle})
	if err != nil {
		return err
	}
	endSpan()
	return nc.end()
}

func (nc *ncclComm) Abort() {
	nc.mu.Lock()
	defer nc.mu.Unlock()
	if comm := nc.comm.Swap(0); comm != 0 {
		nc.nccl.call(nc.d, ncclCommAbort, comm)
	}
}

// Close waits until all ranks have called it.
func (nc *ncclComm) Close() error {
	nc.mu.Lock()
	defer nc.mu.Unlock()
	var err error
	if comm := nc.comm.Swap(0); comm != 0 {
		err = errors.Join(nc.nccl.call(nc.d, ncclCommFinalize, comm), nc.nccl.call(nc.d, ncclCommDestroy, comm))
	}
	nc.free()
	return err
}
