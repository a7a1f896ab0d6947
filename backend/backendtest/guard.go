package backendtest

import (
	"errors"
	"os"
	"unsafe"
)

// guard is the memory of a device whose pages are accessible only while a loop or a copy runs, so that any access by
// the host ends the program. What is freed is not used again, and never accessible.
type guard struct {
	pages []byte
	used  int // bytes used by arrays, each of which begins on a page
	open  int // nested calls of Access
}

// Guard takes the memory of the device, before anything is allocated, from pages of their own, which the host cannot
// access. Close frees them.
func (f *FakeGPU) Guard() error {
	pages, err := protectedPages(f.Size)
	if err == nil {
		f.guard = &guard{pages: pages}
	}
	return err
}

// Access calls what reads or writes the memory of the device.
func (f *FakeGPU) Access(call func() error) error {
	g := f.guard
	if g == nil {
		return call()
	}
	if g.open++; g.open == 1 {
		_ = protect(g.pages[:g.used], false)
	}
	err := call()
	if g.open--; g.open == 0 {
		_ = protect(g.pages[:g.used], true)
	}
	return err
}

// Close closes the device that runs the loops, and frees guarded memory.
func (f *FakeGPU) Close() {
	if f.guard != nil {
		_ = freePages(f.guard.pages)
	}
	f.Device.Close()
}

// words returns n zeroed words of memory.
func (f *FakeGPU) words(n int) ([]uint64, error) {
	g, page := f.guard, os.Getpagesize()
	if g == nil {
		return make([]uint64, n), nil
	}
	first := g.used
	if g.used = first + (8*n+page-1)/page*page; g.used > len(g.pages) {
		return nil, errors.New("out of memory")
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&g.pages[first])), n), nil
}
