//go:build !unix

package process

import (
	"os"
	"syscall"
)

// EndSignals tell a command to end.
var EndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// WhenUnread does nothing where no signal tells that nobody reads the output.
func WhenUnread(func()) {}
