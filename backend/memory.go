package backend

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// Memory is a device with separate memory: its kernels cannot access the memory of the host. Addresses on the device,
// dst or src below, must come from Alloc.
type Memory interface {
	// Alloc returns the address of zeroed memory on the device, aligned to 256 bytes. The host must not dereference it.
	Alloc(bytes int) (unsafe.Pointer, error)
	// Free frees memory that Alloc returned.
	Free(p unsafe.Pointer) error
	// Upload copies from the host. src may be reused as soon as it returns.
	Upload(dst, src unsafe.Pointer, bytes int) error
	// Download waits until all calls before it have finished, and copies to the host.
	Download(dst, src unsafe.Pointer, bytes int) error
	// Move copies within the device.
	Move(dst, src unsafe.Pointer, bytes int) error
	// Sync waits until all calls before it have finished, and returns the first error since the device was opened.
	Sync() error
}

// MemoryAccount is a device that counts how much of its memory is in use.
type MemoryAccount interface {
	// Peak returns the largest number of bytes that arrays and the scratch memory of [Primitives] took together. It does
	// not count snapshots, which are made only if there is free memory, nor the driver's own memory.
	Peak() int64
	// SnapshotPeak returns the largest number of bytes that snapshots took together.
	SnapshotPeak() int64
}

// Make allocates n zeroed elements where the device's kernels can access them. On a device with separate memory the
// host may slice and compare the result and store it in arguments of kernels, but must not access its elements: that is
// a segmentation fault. T must hold no Go pointers there.
func Make[T any](d Device, n int) ([]T, error) {
	if n < 0 {
		return nil, fmt.Errorf("cannot allocate an array of %d elements", n)
	}
	m, ok := d.(Memory)
	if !ok {
		return make([]T, n), nil
	}
	t := reflect.TypeFor[T]()
	if holdsPointers(t) {
		return nil, fmt.Errorf("elements of type %v hold Go pointers and cannot be stored on device %s", t, d.Name())
	}
	if n == 0 || t.Size() == 0 {
		return make([]T, n), nil
	}
	if uintptr(n) > math.MaxInt/t.Size() {
		return nil, fmt.Errorf("an array of %d elements of %d bytes is larger than the address space", n, t.Size())
	}
	p, err := m.Alloc(n * int(t.Size()))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(p), n), nil
}

// Free frees an array that Make returned. a must begin at the array's first element.
func Free[T any](d Device, a []T) error {
	m, ok := d.(Memory)
	if !ok || bytesOf(a) == 0 {
		return nil
	}
	return m.Free(unsafe.Pointer(unsafe.SliceData(a)))
}

// Upload copies src, on the host, to dst on the device. They must have the same length.
func Upload[T any](d Device, dst, src []T) error {
	if err := sameLength("upload", len(dst), len(src)); err != nil {
		return err
	}
	m, ok := d.(Memory)
	if !ok {
		copy(dst, src)
		return nil
	}
	if bytesOf(src) == 0 {
		return nil
	}
	return m.Upload(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), bytesOf(src))
}

// Download copies src, on the device, to dst on the host. They must have the same length.
func Download[T any](d Device, dst, src []T) error {
	if err := sameLength("download", len(dst), len(src)); err != nil {
		return err
	}
	m, ok := d.(Memory)
	if !ok {
		copy(dst, src)
		return nil
	}
	if bytesOf(src) == 0 {
		return m.Sync()
	}
	return m.Download(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), bytesOf(src))
}

// Copy copies src to dst. Both are on the device, have the same length and do not overlap.
func Copy[T any](d Device, dst, src []T) error {
	if err := sameLength("copy", len(dst), len(src)); err != nil {
		return err
	}
	m, ok := d.(Memory)
	if !ok {
		copy(dst, src)
		return nil
	}
	if bytesOf(src) == 0 {
		return nil
	}
	return m.Move(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), bytesOf(src))
}

// Sync waits until all calls before it have finished, and returns the first error of any of them.
func Sync(d Device) error {
	if m, ok := d.(Memory); ok {
		return m.Sync()
	}
	return nil
}

func bytesOf[T any](a []T) int {
	var t T
	return len(a) * int(unsafe.Sizeof(t))
}

func sameLength(what string, dst, src int) error {
	if dst != src {
		return fmt.Errorf("%s of %d elements to an array of %d", what, src, dst)
	}
	return nil
}

func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && holdsPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Pointer, reflect.UnsafePointer, reflect.Slice, reflect.String, reflect.Map, reflect.Chan, reflect.Func,
		reflect.Interface:
		return true
	}
	return false
}
