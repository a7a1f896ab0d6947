//go:build unix

package folder

import (
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
)

// machine identifies this boot of the machine and its set of process numbers, "" if the system does not tell.
var machine = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	processes, other := os.Readlink("/proc/self/ns/pid")
	if err != nil || other != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + processes
})

// processExists reports whether a process of this machine has a number.
func processExists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// isNoLock reports whether an error of locking a file says that the file system has no locks: ENOLCK, of NFS without
// its lock service.
func isNoLock(err error) bool { return errors.Is(err, syscall.ENOLCK) }
