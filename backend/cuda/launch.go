package cuda

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"
)

// Arg is an argument of a kernel: the bytes of a Go value.
type Arg []byte

// Value returns the bytes of a number, a struct or the header of a slice. Slices and pointers in it must point to
// memory on the device.
func Value[T any](v T) Arg {
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)))
}

// Launch is a kernel with its arguments, ready to be queued. It implements backend.Loop.
type Launch struct {
	d     *Device
	f     *Function
	dims  int
	block [3]int
	tile  bool // one block of threads for each index, instead of one thread
	parameters
}

// parameters is the parameter block of a launch. The driver gets params, an array with the address of each parameter,
// and copies the parameters from there. The bounds lo and hi of each dimension come first, then the arguments. All of
// it is pinned until Close, so that Go's garbage collector does not move it.
type parameters struct {
	bounds *[6]int64
	values [][]byte
	params []unsafe.Pointer
	pins   runtime.Pinner
}

// newParameters makes the parameter block of a kernel whose index space has dims dimensions.
func newParameters(dims int, args []Arg) parameters {
	b := parameters{bounds: new([6]int64)}
	b.pins.Pin(b.bounds)
	for n := range 2 * dims {
		b.params = append(b.params, unsafe.Pointer(&b.bounds[n]))
	}
	for _, a := range args {
		words := make([]uint64, len(a)/8+1) // aligned as any Go value
		v := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(a))
		copy(v, a)
		b.pins.Pin(&words[0])
		b.values = append(b.values, v)
		b.params = append(b.params, unsafe.Pointer(&words[0]))
	}
	b.pins.Pin(&b.params[0])
	return b
}

// Prepare returns a launch of a kernel whose index space has 1 to 3 dimensions. block is the number of threads of a
// block in x, y and z. Arguments whose sizes differ from the kernel's parameters are an error.
func (d *Device) Prepare(f *Function, dims int, block [3]int, args ...Arg) (*Launch, error) {
	if d.err != nil {
		return nil, d.err
	}
	if err := checkShape(f.name, dims, block); err != nil {
		return nil, err
	}
	if err := checkArgs(f.name, f.params, dims, args); err != nil {
		return nil, err
	}
	return &Launch{d: d, f: f, dims: dims, block: block, parameters: newParameters(dims, args)}, nil
}

// checkShape returns an error if an index space or a block exceeds CUDA's limits: a block has at most 1024 threads, and
// 64 in z.
func checkShape(kernel string, dims int, block [3]int) error {
	if dims < 1 || dims > 3 {
		return fmt.Errorf("cuda: kernel %s: an index space of %d dimensions, want 1, 2 or 3", kernel, dims)
	}
	threads := 1
	for n, b := range block {
		if b < 1 || b > 1024 || n >= dims && b != 1 {
			return fmt.Errorf("cuda: kernel %s: blocks of %v threads in %d dimensions, want 1 to 1024 along each of them "+
				"and 1 along others", kernel, block, dims)
		}
		threads *= b
	}
	if threads > 1024 || block[2] > 64 {
		return fmt.Errorf("cuda: kernel %s: blocks of %v threads, want at most 1024 in all and 64 in z", kernel, block)
	}
	return nil
}

// checkArgs compares arguments with the sizes of the kernel's parameters.
func checkArgs(kernel string, sizes []int, dims int, args []Arg) error {
	if len(sizes) != 2*dims+len(args) {
		return fmt.Errorf("cuda: kernel %s has %d parameters, got %d bounds and %d arguments", kernel, len(sizes), 2*dims,
			len(args))
	}
	for n, size := range sizes {
		argSize := 8
		if n >= 2*dims {
			argSize = len(args[n-2*dims])
		}
		if argSize != size {
			return fmt.Errorf("cuda: kernel %s: parameter %d has %d bytes, its argument has %d", kernel, n, size, argSize)
		}
	}
	return nil
}

// Set replaces argument n, counted from 0 after the bounds, by one of the same size. Captured graphs do not change.
func (l *Launch) Set(n int, a Arg) error {
	if n < 0 || n >= len(l.values) || len(a) != len(l.values[n]) {
		return fmt.Errorf("cuda: kernel %s has no argument %d of %d bytes", l.f.name, n, len(a))
	}
	copy(l.values[n], a)
	return nil
}

// Range queues the kernel for the indices [lo, hi) of its only dimension. It allocates nothing.
func (l *Launch) Range(lo, hi int) { l.Box([3]int{lo}, [3]int{hi, 1, 1}) }

// Box queues the kernel for the indices [lo, hi) in each dimension. Dimensions that the kernel does not have are
// ignored.
func (l *Launch) Box(lo, hi [3]int) {
	grid := [3]int{1, 1, 1}
	for n := range l.dims {
		if lo[n] >= hi[n] {
			return
		}
		l.bounds[2*n], l.bounds[2*n+1] = int64(lo[n]), int64(hi[n])
		grid[n] = (hi[n]-lo[n]-1)/l.block[n] + 1
	}
	if l.tile {
		grid[0] = hi[0] - lo[0]
	}
	l.d.launch(l.f, grid, l.block, unsafe.Pointer(&l.params[0]))
}

// Close unpins the parameter block. The launch must not be used again.
func (l *Launch) Close() { l.pins.Unpin() }

// maxGrid is the largest number of blocks of a grid in x, y and z.
var maxGrid = [3]int{1<<31 - 1, 65535, 65535}

// launch queues a kernel on the compute stream.
func (d *Device) launch(f *Function, grid, block [3]int, params unsafe.Pointer) {
	if d.err != nil {
		return
	}
	for n, g := range grid {
		if g > maxGrid[n] {
			d.fail(fmt.Errorf("cuda: kernel %s: a grid of %v blocks, want at most %v", f.name, grid, maxGrid))
			return
		}
	}
	endSpan := d.traceSpan(f.name, d.compute)
	timed := d.profile != nil && !d.capturing
	if timed {
		d.profile.begin(d)
	}
	err := d.callNoAlloc(cuLaunchKernel, [maxArgs]uintptr{f.handle, uintptr(grid[0]), uintptr(grid[1]), uintptr(grid[2]),
		uintptr(block[0]), uintptr(block[1]), uintptr(block[2]), uintptr(f.shared), d.compute.handle, uintptr(params), 0})
	if err != nil {
		d.fail(withSubject(err, "kernel "+f.name))
		return
	}
	d.lastKernel = f.name
	endSpan()
	if timed {
		d.profile.end(d, f.name)
	}
}
