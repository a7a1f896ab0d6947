//go:build unix

package bench

import (
	"os"
	"runtime"
	"syscall"
)

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
