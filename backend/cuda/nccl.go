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
	ncclUint8  = 1
	ncclUint64 = 5
	ncclMax    = 2
	uniqueID   = 128 // bytes
)

// nccl is the loaded library.
type nccl struct{ address [ncclCalls]uintptr }

var ncclLibrary = sync.OnceValues(func() (*nccl, error) {
	// Multicast over NVLink speeds up no message of two ranks, and a program that dies in it can leave the switch
	// unusable.
	if os.Getenv("NCCL_NVLS_ENABLE") == "" {
		os.Setenv("NCCL_NVLS_ENABLE", "0")
	}
	h, err := dynlib.Open("libnccl.so.2")
	if err != nil {
		return nil, fmt.Errorf("NCCL is not on this machine: %w", err)
	}
	l := new(nccl)
	for c := range ncclCalls {
		if l.address[c], err = dynlib.Symbol(h, ncclSymbols[c]); err != nil {
			return nil, fmt.Errorf("NCCL is older than 2.23: it has no %s", ncclSymbols[c])
		}
	}
	return l, nil
})

// call calls NCCL with the device's context current.
//
//go:uintptrescapes
func (l *nccl) call(d *Device, c ncclCall, args ...uintptr) error {
	var all [maxArgs]uintptr
	copy(all[:], args)
	return l.enter(d, c, all)
}

// enter is call without allocation.
func (l *nccl) enter(d *Device, c ncclCall, args [maxArgs]uintptr) error {
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

// text is what NCCL says of an error.
func (l *nccl) text(code int32) error {
	var say func(code int32) string
	purego.RegisterFunc(&say, l.address[ncclGetErrorString])
	return errors.New(say(code))
}

// LinkID implements backend.Linker.
func (d *Device) LinkID() ([]byte, error) {
	l, err := ncclLibrary()
	if err != nil {
		return nil, err
	}
	id := make([]byte, uniqueID)
	return id, l.call(d, ncclGetUniqueID, uintptr(unsafe.Pointer(&id[0])))
}
