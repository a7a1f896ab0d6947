//go:build linux

package partition

import (
	"syscall"
	"unsafe"
)

// keepSignalHandlers saves the handlers of SIGABRT and SIGTERM and returns a function that restores them. During a
// call libmetis installs its own handlers for the two signals. It restores the former ones with signal(2), which drops
// their flags, among them SA_ONSTACK; a Go program crashes at the next signal whose handler lacks that flag.
func keepSignalHandlers() (restore func()) {
	var saved [2]kernelSigaction
	signals := [2]syscall.Signal{syscall.SIGABRT, syscall.SIGTERM}
	for i, sig := range signals {
		sigaction(sig, nil, &saved[i])
	}
	return func() {
		for i, sig := range signals {
			sigaction(sig, &saved[i], nil)
		}
	}
}

// kernelSigaction has the size of the kernel's struct sigaction: handler, flags, restorer (on some architectures) and
// a mask of 64 signals. It is only copied.
type kernelSigaction [4]uint64

// sigaction cannot fail for these signals and these addresses.
func sigaction(sig syscall.Signal, set, get *kernelSigaction) {
	const maskBytes = 8
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(get)), maskBytes, 0, 0)
}
