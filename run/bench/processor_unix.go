//go:build unix

package bench

import (
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
