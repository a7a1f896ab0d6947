//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// limits are those of this process that runs of many ranks meet, "" where the system does not say.
func limits() string {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return ""
	}
	return fmt.Sprintf("%d open files", files.Cur)
}
