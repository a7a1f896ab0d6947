// Package dynlib opens shared libraries at run time, so that building and running Atoll needs none of them.
package dynlib

import (
	"fmt"
	"runtime"
)

// Open opens the first library that is there, and returns its handle. The error is that of the first name.
func Open(names ...string) (uintptr, error) {
	runtime.LockOSThread() // the reason of a failure is kept by thread
	defer runtime.UnlockOSThread()
	first := fmt.Errorf("no library is named")
	for n, name := range names {
		handle, err := open(name)
		if err == nil {
			return handle, nil
		}
		if n == 0 {
			first = err
		}
	}
	return 0, first
}

// Symbol returns the address of a function of an open library.
func Symbol(handle uintptr, name string) (uintptr, error) { return symbol(handle, name) }
