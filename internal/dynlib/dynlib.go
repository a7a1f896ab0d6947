// Package dynlib opens shared libraries at run time, so that Atoll can be built and run without them. Open opens a
// library, Symbol finds a function in it.
package dynlib

import (
	"fmt"
	"runtime"
)

// Open opens the first of the named libraries that it finds, and returns its handle. If it finds none, it returns the
// error for the first name.
func Open(names ...string) (uintptr, error) {
	runtime.LockOSThread() // dlerror's text belongs to the thread that called dlopen
	defer runtime.UnlockOSThread()
	first := fmt.Errorf("no library names were given")
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
