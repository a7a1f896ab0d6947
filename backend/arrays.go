package backend

import (
	"fmt"
	"io"
	"slices"
)

// Arrays allocates arrays on a device and frees them together. After the first error it allocates nothing more, so a
// caller checks Err once, after all allocations.
type Arrays struct {
	Device Device
	err    error
	bytes  int64
	free   []func() error
}

// Err returns the first error, with the name of its array.
func (a *Arrays) Err() error { return a.err }

// Bytes returns the size of all arrays, including uploaded arrays that were not copied.
func (a *Arrays) Bytes() int64 { return a.bytes }

// Owns makes Free close c, which uses the arrays, before it frees them: for example an exchange of ghosts.
func (a *Arrays) Owns(c io.Closer) { a.free = append(a.free, c.Close) }

// Free frees all arrays, the last first. An array that cannot be freed is freed when the device is closed.
func (a *Arrays) Free() {
	for _, free := range slices.Backward(a.free) {
		_ = free()
	}
	a.free, a.bytes = nil, 0
}

// Fresh allocates n zeroed elements. It returns nil after an error. Err names the array by what.
func Fresh[T any](a *Arrays, n int, what string) []T {
	if a.err != nil {
		return nil
	}
	array, err := Make[T](a.Device, n)
	if err != nil {
		a.err = fmt.Errorf("%s: %w", what, err)
		return nil
	}
	a.bytes += int64(bytesOf(array))
	a.free = append(a.free, func() error { return Free(a.Device, array) })
	return array
}

// Uploaded copies an array of the host to the device. If the device uses the host's memory, it returns the array
// itself.
func Uploaded[T any](a *Arrays, src []T, what string) []T {
	if _, separate := a.Device.(Memory); !separate {
		a.bytes += int64(bytesOf(src))
		return src
	}
	array := Fresh[T](a, len(src), what)
	if a.err == nil {
		a.err = Upload(a.Device, array, src)
	}
	return array
}
