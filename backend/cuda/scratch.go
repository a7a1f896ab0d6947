package cuda

import (
	"runtime"
	"unsafe"
)

// scratchBuffer is scratch memory on the device that grows to the largest size requested.
type scratchBuffer struct{ address, size uintptr }

// reserve returns an area for each of the given sizes, in bytes, of which there are at most six. The areas are valid
// until the next call.
func (b *scratchBuffer) reserve(d *Device, sizes ...int) (areas [6]uintptr, err error) {
	total := 0
	for _, s := range sizes {
		total += aligned(s)
	}
	if uintptr(total) > b.size {
		if err := d.Sync(); err != nil {
			return areas, err
		}
		b.free(d)
		want := total + total/8 // an eighth more, so that somewhat larger requests need no new allocation
		if b.address, err = d.allocate(want); err != nil {
			return areas, err
		}
		b.size = uintptr(want)
		d.countBytes(int64(want))
	}
	next := b.address
	for i, s := range sizes {
		areas[i] = next
		next += uintptr(aligned(s))
	}
	return areas, nil
}

// aligned rounds up to a multiple of 256 bytes, the alignment of an allocation.
func aligned(n int) int { return (n + 255) &^ 255 }

func (b *scratchBuffer) free(d *Device) {
	if b.address != 0 {
		d.call(cuMemFree, b.address)
		d.countBytes(-int64(b.size))
	}
	*b = scratchBuffer{}
}

// parameterBlock is the parameter block of the primitives, whose parameters have 8 bytes each.
type parameterBlock struct {
	values [maxParams]uint64
	params [maxParams]unsafe.Pointer
	pins   runtime.Pinner
}

const maxParams = 8 // the kernel sort_move has the most

func newParameterBlock() *parameterBlock {
	s := new(parameterBlock)
	s.pins.Pin(s)
	for i := range s.values {
		s.params[i] = unsafe.Pointer(&s.values[i])
	}
	return s
}

func (p *parameterBlock) close() { p.pins.Unpin() }

// resultBuffer is memory for results of primitives: on the device, and a pinned copy on the host.
type resultBuffer struct {
	device uintptr
	host   []uint64
}

const resultWords = 128 // of 8 bytes; at least backend.SumWords

func (b *resultBuffer) open(d *Device) (err error) {
	if b.device, err = d.allocate(8 * resultWords); err != nil {
		return err
	}
	b.host, err = Pinned[uint64](d, resultWords)
	return err
}

// clear sets n words to 0.
func (b *resultBuffer) clear(d *Device, n int) error {
	return d.compute.run(cuMemsetD8Async, [maxArgs]uintptr{b.device, 0, uintptr(8 * n), d.compute.handle})
}

// read copies n bytes from an address on the device to the host and waits for them.
func (b *resultBuffer) read(d *Device, from uintptr, n int) ([]uint64, error) {
	if err := d.compute.download(unsafe.Pointer(unsafe.SliceData(b.host)), pointer(from), n); err != nil {
		return nil, err
	}
	return b.host[:(n+7)/8], d.Sync()
}

func (b *resultBuffer) close(d *Device) {
	if b.device != 0 {
		d.call(cuMemFree, b.device)
	}
	FreePinned(d, b.host)
	*b = resultBuffer{}
}
