package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// pointer is a device address as Go's slices hold it. The garbage collector ignores addresses that are not its own.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// MemoryInfo returns how many bytes of the GPU's memory are free, and how many it has.
func (d *Device) MemoryInfo() (free, total uint64, err error) {
	if d.err != nil {
		return 0, 0, d.err
	}
	err = d.do(cuMemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, err
}

// Alloc returns zeroed memory. What does not fit is an *[OutOfMemory].
func (d *Device) Alloc(n int) (unsafe.Pointer, error) {
	p, err := d.allocate(n)
	if err != nil {
		return nil, err
	}
	if err := d.enter(cuMemsetD8Async, [maxArgs]uintptr{p, 0, uintptr(n), d.compute.handle}); err != nil {
		d.do(cuMemFree, p)
		return nil, d.fail(err)
	}
	d.arrays.add(p, uintptr(n))
	d.account(int64(n))
	return pointer(p), nil
}

// account adds bytes that were taken, or freed if negative, for Peak.
func (d *Device) account(n int64) {
	d.taken += n
	d.peak = max(d.peak, d.taken)
}

func (d *Device) allocate(n int) (uintptr, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.capturing {
		return 0, errors.New("cuda: memory cannot be taken while a graph is captured")
	}
	if n <= 0 {
		return 0, fmt.Errorf("cuda: an allocation of %d bytes", n)
	}
	var p uintptr
	err := d.do(cuMemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n))
	if e, ok := err.(*Error); ok && e.Code == codeOutOfMemory {
		free, total, _ := d.MemoryInfo()
		return 0, &OutOfMemory{Device: d.info.Name, Asked: uint64(n), Free: free, Total: total}
	}
	return p, err
}

// Free gives memory back after everything queued before has finished.
func (d *Device) Free(p unsafe.Pointer) error {
	if err := d.Sync(); err != nil {
		return err
	}
	size, found := d.arrays.remove(uintptr(p))
	if !found {
		return errors.New("cuda: memory is freed that backend.Make did not give, or twice")
	}
	d.account(-int64(size))
	return d.do(cuMemFree, uintptr(p))
}

// Peak implements backend.Account: of arrays and of the scratch memory of primitives.
func (d *Device) Peak() int64 { return d.peak }

// Copied implements backend.Account: copies that were closed stay for the next ones.
func (d *Device) Copied() int64 { return int64(d.keeping.bytes) }

// Upload copies from the host's memory, which may be reused at once. Small copies are queued, and the host waits for
// large ones.
func (d *Device) Upload(dst, src unsafe.Pointer, n int) error {
	if d.err != nil || n == 0 {
		return d.err
	}
	if d.capturing {
		return d.fail(errors.New("cuda: an upload cannot be part of a graph, which would repeat what the host held once"))
	}
	if n > small {
		if err := d.compute.upload(dst, src, n); err != nil {
			return err
		}
		return d.Sync()
	}
	staged, err := d.ring.stage(d, src, n)
	if err != nil {
		return err
	}
	return d.compute.upload(dst, staged, n)
}

// Download copies to the host's memory, after everything queued before. A few numbers come through pinned memory.
func (d *Device) Download(dst, src unsafe.Pointer, n int) error {
	if n <= 8*len(d.answer.host) {
		words, err := d.answer.read(d, uintptr(src), n)
		if err == nil {
			copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n))
		}
		return err
	}
	if err := d.compute.download(dst, src, n); err != nil {
		return err
	}
	return d.Sync()
}

// Move queues a copy within the device.
func (d *Device) Move(dst, src unsafe.Pointer, n int) error {
	if d.err != nil {
		return d.err
	}
	if err := d.enter(cuMemcpyDtoDAsync, [maxArgs]uintptr{uintptr(dst), uintptr(src), uintptr(n),
		d.compute.handle}); err != nil {
		return d.fail(err)
	}
	return nil
}

// Pinned returns n zeroed elements of host memory that the GPU copies from and to by itself. It is not the garbage
// collector's: FreePinned gives it back. T must hold no Go pointers.
func Pinned[T any](d *Device, n int) ([]T, error) {
	var t T
	size := int(unsafe.Sizeof(t))
	if d.err != nil {
		return nil, d.err
	}
	if n <= 0 || size == 0 || n > (1<<62)/size {
		return nil, fmt.Errorf("cuda: %d elements of %d bytes of pinned memory", n, size)
	}
	var p uintptr
	const portable = 1
	if err := d.do(cuMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n*size), portable); err != nil {
		return nil, about(err, amount(uint64(n*size))+" of pinned memory")
	}
	all := unsafe.Slice((*T)(pointer(p)), n)
	clear(all)
	return all, nil
}

// FreePinned gives back what Pinned gave.
func FreePinned[T any](d *Device, a []T) error {
	if len(a) == 0 {
		return nil
	}
	return d.do(cuMemFreeHost, uintptr(unsafe.Pointer(unsafe.SliceData(a))))
}

// spans are the allocations of a device, by ascending address.
type spans []span

type span struct{ at, size uintptr }

func (s spans) search(at uintptr) (int, bool) {
	return slices.BinarySearchFunc(s, at, func(e span, at uintptr) int { return cmp.Compare(e.at, at) })
}

func (s *spans) add(at, size uintptr) {
	n, _ := s.search(at)
	*s = slices.Insert(*s, n, span{at, size})
}

// remove forgets the allocation that begins at an address, and tells its size, and whether there was one.
func (s *spans) remove(at uintptr) (size uintptr, found bool) {
	n, found := s.search(at)
	if found {
		size = (*s)[n].size
		*s = slices.Delete(*s, n, n+1)
	}
	return size, found
}

// holds tells whether all of [at, at+size) lies in one allocation.
func (s spans) holds(at, size uintptr) bool {
	n, found := s.search(at)
	if !found {
		n--
	}
	return n >= 0 && at-s[n].at <= s[n].size && size <= s[n].size-(at-s[n].at)
}
