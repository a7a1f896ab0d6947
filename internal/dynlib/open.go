//go:build darwin || freebsd || linux || netbsd

package dynlib

import "github.com/ebitengine/purego"

// Supported reports whether Open works on this system.
const Supported = true

func open(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }
