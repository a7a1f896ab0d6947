package backend

import "unsafe"

// Keeper is a device with separate memory that can hold copies of its arrays there, to be read while work goes on.
type Keeper interface {
	// Keep returns a copy of an array as it is when everything called before has finished, and nil where the device has
	// no room for one.
	Keep(src unsafe.Pointer, bytes int) (Kept, error)
}

// Kept is a copy of an array on a device, which stays as it is while the device goes on.
type Kept interface {
	// Read copies bytes, from offset at on, to the host, concurrently with what was queued on the device since. Any
	// goroutine may call it.
	Read(to []byte, at int) error
	// Close frees the memory. Like the device's own methods it is called from the device's goroutine, after the last Read.
	Close() error
}

// Keep returns a copy of an array on the device, or nil where the device is no Keeper or has no room.
func Keep(d Device, src []byte) (Kept, error) {
	k, ok := d.(Keeper)
	if !ok || len(src) == 0 {
		return nil, nil
	}
	return k.Keep(unsafe.Pointer(unsafe.SliceData(src)), len(src))
}
