package cuda

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

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
	ncclUint64    = 5
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
