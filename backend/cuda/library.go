package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/atoll-hpc/atoll/internal/dynlib"
)

// call names a function of the driver.
type call int

const (
	cuInit call = iota
	cuDriverGetVersion
	cuGetErrorName
	cuGetErrorString
	cuDeviceGetCount
	cuDeviceGet
	cuDeviceGetName
	cuDeviceGetAttribute
	cuDeviceGetPCIBusID
	cuDevicePrimaryCtxRetain
	cuDevicePrimaryCtxRelease
	cuCtxSetCurrent
	cuDeviceCanAccessPeer
	cuCtxEnablePeerAccess
	cuIpcGetMemHandle
	cuIpcOpenMemHandle
	cuIpcCloseMemHandle
	cuMemGetInfo
	cuMemAlloc
	cuMemFree
	cuMemHostAlloc
	cuMemFreeHost
	cuMemcpyHtoDAsync
	cuMemcpyDtoHAsync
	cuMemcpyDtoDAsync
	cuMemsetD8Async
	cuStreamCreate
	cuStreamCreateWithPriority
	cuStreamDestroy
	cuStreamSynchronize
	cuStreamWaitEvent
	cuStreamBeginCapture
	cuStreamEndCapture
	cuEventCreate
	cuEventDestroy
	cuEventRecord
	cuEventSynchronize
	cuEventElapsedTime
	cuModuleLoadDataEx
	cuModuleUnload
	cuModuleGetFunction
	cuFuncGetAttribute
	cuFuncSetAttribute
	cuLaunchKernel
	cuGraphInstantiate
	cuGraphExecUpdate
	cuGraphLaunch
	cuGraphExecDestroy
	cuGraphDestroy
	calls
)

// symbols are the names of the functions in the library. Some functions have newer versions with a new name.
var symbols = [calls]string{
	"cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuDeviceGetCount", "cuDeviceGet",
	"cuDeviceGetName", "cuDeviceGetAttribute", "cuDeviceGetPCIBusId", "cuDevicePrimaryCtxRetain",
	"cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent", "cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess",
	"cuIpcGetMemHandle", "cuIpcOpenMemHandle_v2", "cuIpcCloseMemHandle",
	"cuMemGetInfo_v2", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc", "cuMemFreeHost",
	"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemsetD8Async",
	"cuStreamCreate", "cuStreamCreateWithPriority", "cuStreamDestroy_v2", "cuStreamSynchronize",
	"cuStreamWaitEvent", "cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuEventCreate", "cuEventDestroy_v2",
	"cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime", "cuModuleLoadDataEx", "cuModuleUnload",
	"cuModuleGetFunction", "cuFuncGetAttribute", "cuFuncSetAttribute", "cuLaunchKernel",
	"cuGraphInstantiateWithFlags", "cuGraphExecUpdate_v2", "cuGraphLaunch", "cuGraphExecDestroy",
	"cuGraphDestroy",
}

func (c call) String() string { return symbols[c] }

// maxArgs is the number of arguments of cuLaunchKernel, which has the most.
const maxArgs = 11

// library is a loaded driver.
type library struct{ address [calls]uintptr }

// driver loads the driver's library once.
var driver = sync.OnceValues(func() (*library, error) { return openLibrary("libcuda.so.1") })

func openLibrary(name string) (*library, error) {
	if !dynlib.Supported {
		return nil, fmt.Errorf("not supported on %s; use Linux, or WSL 2 on Windows", runtime.GOOS)
	}
	h, err := dynlib.Open(name)
	if err != nil {
		return nil, fmt.Errorf("no NVIDIA driver on this machine: %w", err)
	}
	l := new(library)
	for c := range calls {
		l.address[c], err = dynlib.Symbol(h, symbols[c])
		if err != nil {
			return nil, fmt.Errorf("the NVIDIA driver is too old: %s has no %s; install one for CUDA 12.4 or newer", name,
				symbols[c])
		}
	}
	if err := l.call(cuInit, 0); err != nil {
		return nil, err
	}
	return l, nil
}

// call calls a function of the driver. Arguments may be addresses of Go variables.
//
//go:uintptrescapes
func (l *library) call(c call, args ...uintptr) error {
	var padded [maxArgs]uintptr
	copy(padded[:], args)
	return l.check(c, invoke(l.address[c], padded))
}

// check converts the code that a call returned into an error.
func (l *library) check(c call, code int32) error {
	if code == 0 {
		return nil
	}
	return &Error{Call: c.String(), Code: int(code), Name: l.text(cuGetErrorName, code),
		Text: l.text(cuGetErrorString, code)}
}

func (l *library) text(c call, code int32) string {
	p := new(*byte)
	if invoke(l.address[c], [maxArgs]uintptr{uintptr(code), uintptr(unsafe.Pointer(p))}) != 0 || *p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(*p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(*p, n))
}
