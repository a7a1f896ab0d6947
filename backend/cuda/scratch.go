package cuda

import (
	"runtime"
	"unsafe"
)

// buffer is memory of the device that grows to what the largest use needed.
type buffer struct{ at, size uintptr }

// take cuts areas of the given sizes, in bytes. They are good until the next take.
func (b *buffer) take(d *Device, sizes ...int) (areas [6]uintptr, err error) {
	total := 0
	for _, s := range sizes {
		total += aligned(s)
	}
	if uintptr(total) > b.size {
		if err := d.Sync(); err != nil {
			return areas, err
		}
		b.free(d)
		want := total + total/8
		if b.at, err = d.allocate(want); err != nil {
			return areas, err
		}
		b.size = uintptr(want)
		d.account(int64(want))
	}
	next := b.at
	for i, s := range sizes {
		areas[i] = next
		next += uintptr(aligned(s))
	}
	return areas, nil
}

// aligned rounds up so that every area begins as an allocation does.
func aligned(n int) int { return (n + 255) &^ 255 }

func (b *buffer) free(d *Device) {
	if b.at != 0 {
		d.do(cuMemFree, b.at)
		d.account(-int64(b.size))
	}
	*b = buffer{}
}

// slots is the parameter block of the primitives, whose parameters take 8 bytes each.
type slots struct {
	values [maxParams]uint64
	params [maxParams]unsafe.Pointer
	pins   runtime.Pinner
}

const maxParams = 8

func newSlots() *slots {
	s := new(slots)
	s.pins.Pin(s)
	for i := range s.values {
		s.params[i] = unsafe.Pointer(&s.values[i])
	}
	return s
}

func (s *slots) close() { s.pins.Unpin() }

// answer is where kernels leave what the host wants to know: on the device, and pinned on the host.
type answer struct {
	device uintptr
	host   []uint64
}

const answerWords = 128

func (a *answer) open(d *Device) (err error) {
	if a.device, err = d.allocate(8 * answerWords); err != nil {
		return err
	}
	a.host, err = Pinned[uint64](d, answerWords)
	return err
}

// clear sets n words to 0.
func (a *answer) clear(d *Device, n int) error {
	return d.compute.run(cuMemsetD8Async, [maxArgs]uintptr{a.device, 0, uintptr(8 * n), d.compute.handle})
}

// read waits for n bytes that lie at an address of the device.
func (a *answer) read(d *Device, from uintptr, n int) ([]uint64, error) {
	if err := d.compute.download(unsafe.Pointer(unsafe.SliceData(a.host)), pointer(from), n); err != nil {
		return nil, err
	}
	return a.host[:(n+7)/8], d.Sync()
}

func (a *answer) close(d *Device) {
	if a.device != 0 {
		d.do(cuMemFree, a.device)
	}
	FreePinned(d, a.host)
	*a = answer{}
}
