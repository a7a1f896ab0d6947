// Package process has the system functions of the command line: signals that end a command, resource limits, questions
// at a terminal, and the handling of panics.
package process

import (
	"fmt"
	"os"
	"runtime/debug"
)

// Guard calls f. If f panics, Guard prints the stack and returns an error, since Go's exit code for a panic is 2, which
// Atoll uses for bad input. It cannot catch panics on other goroutines.
func Guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			os.Stderr.Write(debug.Stack())
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	return f()
}
