package main

import (
	"fmt"
	"os"
	"runtime/debug"
)

// guard calls f, and makes an error of its panic, after it has printed where that was: Go's own exit code for a panic,
// 2, would say that the input was bad. Panics on other goroutines it cannot see.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			os.Stderr.Write(debug.Stack())
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	return f()
}
