package backend

import (
	"fmt"
	"io"
	"slices"
)

// Arrays takes arrays on a device until the first error, so that one look at Err does for all, and gives them back
// together.
type Arrays struct {
	Device Device
	err    error
	bytes  int64
	free   []func() error
}

// Err is the first error that there was, with the name of its array.
func (a *Arrays) Err() error { return a.err }

// Bytes is what the arrays take, also those that stay where they are in the host's memory.
func (a *Arrays) Bytes() int64 { return a.bytes }

// Owns makes Free close what works on the arrays, such as an exchange of ghosts.
func (a *Arrays) Owns(of io.Closer) { a.free = append(a.free, of.Close) }

// Free frees all arrays, the last first. What cannot be freed is freed with the device.
func (a *Arrays) Free() {
	for _, free := range slices.Backward(a.free) {
		_ = free()
	}
	a.free, a.bytes = nil, 0
}

// Fresh takes n zeroed elements; nil after an error. What they are is told by an error.
func Fresh[T any](a *Arrays, n int, what string) []T {
	if a.err != nil {
		return nil
	}
	to, err := Make[T](a.Device, n)
	if err != nil {
		a.err = fmt.Errorf("%s: %w", what, err)
		return nil
	}
	a.bytes += int64(bytesOf(to))
	a.free = append(a.free, func() error { return Free(a.Device, to) })
	return to
}

// Uploaded copies an array of the host to the device. In the host's own memory it stays where it is.
func Uploaded[T any](a *Arrays, from []T, what string) []T {
	if _, apart := a.Device.(Memory); !apart {
		a.bytes += int64(bytesOf(from))
		return from
	}
	to := Fresh[T](a, len(from), what)
	if a.err == nil {
		a.err = Upload(a.Device, to, from)
	}
	return to
}
