//go:build unix

package bench

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// processorTime returns the processor time of all threads of this process, in user and kernel mode.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory returns the peak memory of an ended process in bytes; 0 if unknown.
func peakMemory(state *os.ProcessState) int64 {
	u, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // macOS reports bytes, other systems KiB
		return u.Maxrss
	}
	return u.Maxrss << 10
}
