package backend

import "unsafe"

// Keeper is a device with memory of its own that keeps copies of arrays beside them.
type Keeper interface {
	// Keep returns a copy of an array as it is when everything called before has finished, and nil where the device has
	// no room for one.
	Keep(src unsafe.Pointer, bytes int) (Kept, error)
}

// Kept is a copy of an array on a device, which stays as it is while the device goes on.
type Kept interface {
	// Read copies bytes from the byte at on to the host, beside what was called of the device since. Any goroutine may
	// call it.
	Read(to []byte, at int) error
	// Close gives the memory back. It is called as the device is, after the last Read.
	Close() error
}

// Keep returns a copy of an array on the device, or nil where that keeps none.
func Keep(d Device, src []byte) (Kept, error) {
	k, ok := d.(Keeper)
	if !ok || len(src) == 0 {
		return nil, nil
	}
	return k.Keep(unsafe.Pointer(unsafe.SliceData(src)), len(src))
}
