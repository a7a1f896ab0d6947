package backend

import "unsafe"

// Snapshotter is a device with separate memory that can copy an array there, for the host to read while kernels go on
// to change the array.
type Snapshotter interface {
	// MakeSnapshot queues a copy of n elements of size bytes, which begin stride bytes apart, and returns it. In the copy
	// they lie one after the other. The device makes the copy after all calls before. MakeSnapshot returns nil if the
	// device has not enough memory.
	MakeSnapshot(src unsafe.Pointer, n, size, stride int) (Snapshot, error)
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

// TakeSnapshot copies elements of an array on the device: those of size bytes, stride bytes apart, from the beginning
// of src to its end; a whole array is one element. In the copy they lie one after the other. It returns nil if the
// device is no Snapshotter or has too little memory.
func TakeSnapshot(d Device, src []byte, size, stride int) (Snapshot, error) {
	k, ok := d.(Snapshotter)
	if !ok || len(src) == 0 {
		return nil, nil
	}
	n := 1 + (len(src)-size)/stride
	return k.MakeSnapshot(unsafe.Pointer(unsafe.SliceData(src)), n, size, stride)
}
