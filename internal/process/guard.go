// Package process has what the command line asks of the system: signals, limits, a terminal.
package process

import (
	"fmt"
	"os"
	"runtime/debug"
)

// Guard calls f, and makes an error of its panic, after it has printed where that was: Go's own exit code for a panic,
// 2, would say that the input was bad. Panics on other goroutines it cannot see.
func Guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			os.Stderr.Write(debug.Stack())
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	return f()
}
