package backend

import "unsafe"

// Snapshotter is a device with separate memory that can copy an array there, for the host to read while kernels go on
// to change the array.
type Snapshotter interface {
	// MakeSnapshot queues a copy of an array, which the device makes after all calls before, and returns it. It returns
	// nil if the device has not enough memory for the copy.
	MakeSnapshot(src unsafe.Pointer, bytes int) (Snapshot, error)
}

// Snapshot is a copy of an array on a device. Later calls of the device do not change it.
type Snapshot interface {
	// Read copies the bytes from offset on to dst on the host. It runs concurrently with the kernels that were queued
	// since. Any goroutine may call it.
	Read(dst []byte, offset int) error
	// Close frees the memory. Like the device's own methods it must be called from the device's goroutine, after the last
	// Read.
	Close() error
}

// TakeSnapshot copies an array on the device. It returns nil if the device is no Snapshotter or has too little memory.
func TakeSnapshot(d Device, src []byte) (Snapshot, error) {
	k, ok := d.(Snapshotter)
	if !ok || len(src) == 0 {
		return nil, nil
	}
	return k.MakeSnapshot(unsafe.Pointer(unsafe.SliceData(src)), len(src))
}
