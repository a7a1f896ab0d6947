//go:build linux

package partition

import (
	"syscall"
	"unsafe"
)

// keepSignalHandlers saves how SIGABRT and SIGTERM are handled and returns a function that restores it. During a
// call libmetis installs handlers of its own for the two; it puts the former ones back with signal(2), which drops
// their flags, among them SA_ONSTACK, and a Go program dies at the next signal whose handler lacks it.
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

// kernelSigaction is struct sigaction as the kernel knows it: handler, flags, restorer and a mask of 64 signals, or
// less where there is no restorer. Nothing here looks inside.
type kernelSigaction [4]uint64

// sigaction cannot fail for these signals and these addresses.
func sigaction(sig syscall.Signal, set, get *kernelSigaction) {
	const maskBytes = 8
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(get)), maskBytes, 0, 0)
}
