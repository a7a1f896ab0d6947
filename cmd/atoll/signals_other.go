//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endSignals tell a command to end.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// whenUnread does nothing where no signal tells that nobody reads the output.
func whenUnread(func()) {}
