//go:build !unix

package process

import (
	"os"
	"syscall"
)

// EndSignals are the signals upon which a command ends.
var EndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// OnClosedOutput does nothing: this system has no signal for it.
func OnClosedOutput(func()) {}
