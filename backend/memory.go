package backend

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// Memory is what a device has whose kernels cannot see the memory of the host. All addresses named dst and src of the
// device come from Alloc.
type Memory interface {
	// Alloc returns the address of zeroed memory on the device, aligned to 256 bytes. The host must not follow it.
	Alloc(bytes int) (unsafe.Pointer, error)
	// Free returns what Alloc gave.
	Free(p unsafe.Pointer) error
	// Upload copies from the host. src may be reused as soon as it returns.
	Upload(dst, src unsafe.Pointer, bytes int) error
	// Download copies to the host, after everything that was called before has finished.
	Download(dst, src unsafe.Pointer, bytes int) error
	// Move copies within the device.
	Move(dst, src unsafe.Pointer, bytes int) error
	// Sync waits for everything called before, and returns the first error since the device was opened.
	Sync() error
}

// Account is a device that knows how much of its memory was in use.
type Account interface {
	// Peak returns the most bytes that arrays and the scratch memory of [Primitives] took. It leaves out copies of a
	// [Keeper], which makes them only where there is room, and what the driver takes for itself.
	Peak() int64
	// Copied returns the most bytes that copies of a [Keeper] took.
	Copied() int64
}

// Make returns n zeroed elements where the device's kernels see them. On a device with memory of its own only the
// header of the slice is the host's: it can be cut, compared and stored in the arguments of kernels, while reading or
// writing an element on the host is a fault that ends the program. T must hold no Go pointers then.
func Make[T any](d Device, n int) ([]T, error) {
	if n < 0 {
		return nil, fmt.Errorf("an array of %d elements was asked for", n)
	}
	m, ok := d.(Memory)
	if !ok {
		return make([]T, n), nil
	}
	t := reflect.TypeFor[T]()
	if holdsPointers(t) {
		return nil, fmt.Errorf("elements of type %v hold Go pointers and cannot live on device %s", t, d.Name())
	}
	if n == 0 || t.Size() == 0 {
		return make([]T, n), nil
	}
	if uintptr(n) > math.MaxInt/t.Size() {
		return nil, fmt.Errorf("%d elements of %d bytes are more than can be addressed", n, t.Size())
	}
	p, err := m.Alloc(n * int(t.Size()))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(p), n), nil
}

// Free returns an array that Make gave, whole as it was: from its first element.
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

// Copy copies src to dst, both on the device and of the same length. They must not overlap.
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

// Sync waits until everything called before has finished, and returns the first error that any of it had.
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
