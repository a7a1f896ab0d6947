package cuda

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// keeping is what copies that a device keeps have in common.
type keeping struct {
	spare  []span // of copies that were closed; the device's goroutine alone uses it
	copied *Event
	bytes  uintptr    // of all copies
	stream *Stream    // behind the copies that were queued on the compute stream
	lock   sync.Mutex // of pinned, through which one reader at a time brings a copy to the host
	pinned []byte
}

// pinnedBytes go to the host at a time, in less than a millisecond: a goroutine that waits for a GPU cannot be
// preempted.
const pinnedBytes = 4 << 20

// kept is a copy of an array.
type kept struct {
	d *Device
	span
}

// Keep implements backend.Keeper. A sixteenth of the GPU's memory is left to others.
func (d *Device) Keep(src unsafe.Pointer, bytes int) (backend.Kept, error) {
	k := &d.keeping
	if k.stream == nil {
		if err := k.open(d); err != nil {
			return nil, err
		}
	}
	at, err := k.room(d, uintptr(bytes))
	if err != nil || at.at == 0 {
		return nil, err
	}
	err = d.Move(pointer(at.at), src, bytes)
	if err = errors.Join(err, d.compute.Record(k.copied), k.stream.Wait(k.copied)); err != nil {
		return nil, err
	}
	return &kept{d, at}, nil
}

func (k *keeping) open(d *Device) (err error) {
	if k.stream, err = d.newStream(); err != nil {
		return err
	}
	if k.copied, err = d.NewEvent(); err != nil {
		return err
	}
	k.pinned, err = Pinned[byte](d, pinnedBytes)
	return err
}

func (k *keeping) close(d *Device) {
	k.stream.close()
	k.copied.Close()
	FreePinned(d, k.pinned)
}

// room returns memory for a copy: that of one that was closed, or new, or none.
func (k *keeping) room(d *Device, bytes uintptr) (span, error) {
	for i, s := range k.spare {
		if s.size == bytes {
			k.spare = slices.Delete(k.spare, i, i+1)
			return s, nil
		}
	}
	free, total, err := d.MemoryInfo()
	if err != nil || free < uint64(bytes)+total/16 {
		return span{}, err
	}
	p, err := d.allocate(int(bytes))
	var full *OutOfMemory
	if errors.As(err, &full) {
		return span{}, nil
	}
	if err != nil {
		return span{}, err
	}
	d.arrays.add(p, bytes)
	k.bytes += bytes
	return span{p, bytes}, nil
}

// Read implements backend.Kept. It leaves alone what the device remembers of errors, since that is another goroutine's.
func (c *kept) Read(to []byte, at int) error {
	k := &c.d.keeping
	k.lock.Lock()
	defer k.lock.Unlock()
	for len(to) > 0 {
		n := min(len(to), len(k.pinned))
		host := uintptr(unsafe.Pointer(unsafe.SliceData(k.pinned)))
		if err := errors.Join(
			c.d.enter(cuMemcpyDtoHAsync, [maxArgs]uintptr{host, c.span.at + uintptr(at), uintptr(n), k.stream.handle}),
			c.d.enter(cuStreamSynchronize, [maxArgs]uintptr{k.stream.handle}),
		); err != nil {
			return err
		}
		copy(to, k.pinned[:n])
		to, at = to[n:], at+n
	}
	return nil
}

// Close implements backend.Kept. The memory stays the device's, for the next copy.
func (c *kept) Close() error {
	c.d.keeping.spare = append(c.d.keeping.spare, c.span)
	return nil
}
