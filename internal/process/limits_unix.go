//go:build unix

package process

import (
	"fmt"
	"syscall"
)

// Limits describes the resource limits of this process that runs of many ranks may reach, or returns "" if the system
// does not report them.
func Limits() string {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return ""
	}
	return fmt.Sprintf("%d open files", files.Cur)
}
