//go:build !windows

package cuda

import (
	"unsafe"

	_ "github.com/ebitengine/purego" // prepares the runtime for calls of C without cgo
)

// frame is the call frame of a C function: its address, arguments and result. cCall, in assembly, relies on its
// layout.
type frame struct {
	fn     uintptr
	args   [maxArgs]uintptr
	result uintptr
}

// cCallAddress is the address of cCall. The assembly sets it.
var cCallAddress uintptr

// cgocall runs a C function on the system stack while other goroutines go on. purego's own functions allocate memory,
// which a launch must not.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// invoke calls a C function. That function must not call back into Go: the frame is on the goroutine's stack, which Go
// code may move when it grows.
func invoke(fn uintptr, args [maxArgs]uintptr) int32 {
	f := frame{fn: fn, args: args}
	cgocall(cCallAddress, unsafe.Pointer(&f))
	return int32(f.result)
}
