//go:build unix

package bench

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// processorTime is what processors have spent on this process, of all threads, in user and in kernel mode.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// most is how many bytes of memory a process that has ended had at most.
func most(of *os.ProcessState) int64 {
	u, ok := of.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // which counts bytes, others KiB
		return u.Maxrss
	}
	return u.Maxrss << 10
}
