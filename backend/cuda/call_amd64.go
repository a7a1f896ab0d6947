//go:build !windows

package cuda

import (
	"unsafe"

	_ "github.com/ebitengine/purego" // sets up the runtime for calls of C without cgo
)

// frame is a call of a C function. cCall, in assembly, knows its layout.
type frame struct {
	fn     uintptr
	args   [maxArgs]uintptr
	result uintptr
}

var cCallAddress uintptr

// cgocall runs a C function on the system stack and lets other goroutines proceed meanwhile. purego's own calls
// allocate, which a launch must not.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// invoke calls a C function that does not call Go in turn: the frame is on the goroutine's stack, which moves when Go
// code needs more of it.
func invoke(fn uintptr, args [maxArgs]uintptr) int32 {
	f := frame{fn: fn, args: args}
	cgocall(cCallAddress, unsafe.Pointer(&f))
	return int32(f.result)
}
