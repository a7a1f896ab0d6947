package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// pointer returns a device address as a pointer. The garbage collector ignores addresses outside of Go's heap.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// MemoryInfo returns the free and total bytes of the GPU's memory.
func (d *Device) MemoryInfo() (free, total uint64, err error) {
	if d.err != nil {
		return 0, 0, d.err
	}
	err = d.call(cuMemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, err
}

// Alloc returns zeroed memory. If there is not enough, the error is an *[OutOfMemory].
func (d *Device) Alloc(n int) (unsafe.Pointer, error) {
	p, err := d.allocate(n)
	if err != nil {
		return nil, err
	}
	if err := d.callNoAlloc(cuMemsetD8Async, [maxArgs]uintptr{p, 0, uintptr(n), d.compute.handle}); err != nil {
		d.call(cuMemFree, p)
		return nil, d.fail(err)
	}
	d.arrays.add(p, uintptr(n))
	d.countBytes(int64(n))
	return pointer(p), nil
}

// countBytes adds n to the allocated bytes, for Peak; n is negative if memory was freed.
func (d *Device) countBytes(n int64) {
	d.allocated += n
	d.peak = max(d.peak, d.allocated)
}

// allocate allocates n bytes that are not zeroed, and does not add them to d.arrays.
func (d *Device) allocate(n int) (uintptr, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.capturing {
		return 0, errors.New("cuda: cannot allocate memory while a graph is captured")
	}
	if n <= 0 {
		return 0, fmt.Errorf("cuda: cannot allocate %d bytes", n)
	}
	var p uintptr
	err := d.call(cuMemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n))
	if e, ok := err.(*Error); ok && e.Code == codeOutOfMemory {
		free, total, _ := d.MemoryInfo()
		return 0, &OutOfMemory{Device: d.info.Name, Requested: uint64(n), Free: free, Total: total}
	}
	return p, err
}

// Free frees memory after everything queued before has finished.
func (d *Device) Free(p unsafe.Pointer) error {
	if err := d.Sync(); err != nil {
		return err
	}
	size, found := d.arrays.remove(uintptr(p))
	if !found {
		return errors.New("cuda: cannot free memory that backend.Make did not allocate, or that is already free")
	}
	d.countBytes(-int64(size))
	return d.call(cuMemFree, uintptr(p))
}

// Peak implements backend.MemoryAccount.
func (d *Device) Peak() int64 { return d.peak }

// SnapshotPeak implements backend.MemoryAccount. The memory of closed snapshots stays allocated.
func (d *Device) SnapshotPeak() int64 { return int64(d.snapshots.allocated) }

// Upload copies from the host's memory, which may change after the call. It waits for large copies, and queues small
// ones through pinned memory.
func (d *Device) Upload(dst, src unsafe.Pointer, n int) error {
	if d.err != nil || n == 0 {
		return d.err
	}
	if d.capturing {
		return d.fail(errors.New("cuda: an upload cannot be part of a graph, which would repeat the values of the capture"))
	}
	if n > maxSmallCopy {
		return d.copyInParts(d.compute.upload, dst, src, n)
	}
	staged, err := d.uploadRing.stage(d, src, n)
	if err != nil {
		return err
	}
	if copiesByKernel(dst, staged, n) {
		return d.copyWords(dst, staged, n)
	}
	return d.compute.upload(dst, staged, n)
}

// Download copies to the host's memory after everything queued before. Small copies go through pinned memory.
func (d *Device) Download(dst, src unsafe.Pointer, n int) error {
	if n <= 8*len(d.results.host) {
		words, err := d.results.read(d, uintptr(src), n)
		if err == nil {
			copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n))
		}
		return err
	}
	return d.copyInParts(d.compute.download, dst, src, n)
}

// copyInParts copies between the device and memory of the host that is not pinned, and waits for each part: a goroutine
// that waits for a GPU cannot be preempted, and Go's garbage collector stops all others until it can.
func (d *Device) copyInParts(queue func(dst, src unsafe.Pointer, n int) error, dst, src unsafe.Pointer, n int) error {
	const largest = 4 << 20
	for at := 0; at < n; at += largest {
		if err := queue(unsafe.Add(dst, at), unsafe.Add(src, at), min(largest, n-at)); err != nil {
			return err
		}
		if err := d.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// Move queues a copy within the device.
func (d *Device) Move(dst, src unsafe.Pointer, n int) error {
	if d.err != nil {
		return d.err
	}
	if err := d.callNoAlloc(cuMemcpyDtoDAsync, [maxArgs]uintptr{uintptr(dst), uintptr(src), uintptr(n),
		d.compute.handle}); err != nil {
		return d.fail(err)
	}
	return nil
}

// Pinned allocates n zeroed elements of pinned host memory, which the GPU can copy from and to asynchronously.
// FreePinned frees it, not the garbage collector. T must hold no Go pointers.
func Pinned[T any](d *Device, n int) ([]T, error) {
	var t T
	size := int(unsafe.Sizeof(t))
	if d.err != nil {
		return nil, d.err
	}
	if n <= 0 || size == 0 || n > (1<<62)/size {
		return nil, fmt.Errorf("cuda: cannot allocate %d elements of %d bytes of pinned memory", n, size)
	}
	var p uintptr
	const portable = 1 // CU_MEMHOSTALLOC_PORTABLE: pinned for all contexts of the process
	if err := d.call(cuMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n*size), portable); err != nil {
		return nil, withSubject(err, formatBytes(uint64(n*size))+" of pinned memory")
	}
	array := unsafe.Slice((*T)(pointer(p)), n)
	clear(array)
	return array, nil
}

// FreePinned frees memory that Pinned returned.
func FreePinned[T any](d *Device, a []T) error {
	if len(a) == 0 {
		return nil
	}
	return d.call(cuMemFreeHost, uintptr(unsafe.Pointer(unsafe.SliceData(a))))
}

// allocations are the allocations of a device in ascending order of address.
type allocations []allocation

type allocation struct{ address, size uintptr }

func (list allocations) search(address uintptr) (int, bool) {
	return slices.BinarySearchFunc(list, address, func(a allocation, address uintptr) int {
		return cmp.Compare(a.address, address)
	})
}

func (list *allocations) add(address, size uintptr) {
	n, _ := list.search(address)
	*list = slices.Insert(*list, n, allocation{address, size})
}

// remove removes the allocation that begins at an address. It returns its size, and whether there was one.
func (list *allocations) remove(address uintptr) (size uintptr, found bool) {
	n, found := list.search(address)
	if found {
		size = (*list)[n].size
		*list = slices.Delete(*list, n, n+1)
	}
	return size, found
}

// holds reports whether all of [address, address+size) lies in one allocation.
func (list allocations) holds(address, size uintptr) bool {
	n, found := list.search(address)
	if !found {
		n--
	}
	return n >= 0 && address-list[n].address <= list[n].size && size <= list[n].size-(address-list[n].address)
}
