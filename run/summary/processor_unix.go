//go:build unix

package summary

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time of all threads of this process, in user and kernel mode.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
