//go:build !(darwin || freebsd || linux || netbsd)

package dynlib

import (
	"fmt"
	"runtime"
)

// Supported reports whether Open works on this system.
const Supported = false

func open(name string) (uintptr, error) {
	return 0, fmt.Errorf("%s: Atoll does not support opening shared libraries on %s", name, runtime.GOOS)
}

func symbol(_ uintptr, name string) (uintptr, error) { return open(name) }
