//go:build unix

package process

import (
	"fmt"
	"syscall"
)

// Limits are those of this process that runs of many ranks meet, "" where the system does not say.
func Limits() string {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return ""
	}
	return fmt.Sprintf("%d open files", files.Cur)
}
