package cuda

import "unsafe"

// uploadRing is pinned memory for small uploads, such as the few numbers that a step sends: the host does not wait for
// them. All of it is free again after the host has waited for the compute stream.
type uploadRing struct {
	host []byte
	next int
}

const (
	ringSize     = 1 << 16 // bytes
	maxSmallCopy = 1 << 12 // bytes of the largest copy that goes through the ring, or is made by a kernel
)

func (r *uploadRing) open(d *Device) (err error) {
	r.host, err = Pinned[byte](d, ringSize)
	return err
}

// stage copies n ≤ maxSmallCopy bytes to pinned memory, from which the GPU reads them later. If the memory is full it
// waits until the GPU has read all of it: Sync sets next to 0.
func (r *uploadRing) stage(d *Device, src unsafe.Pointer, n int) (unsafe.Pointer, error) {
	if r.next+n > len(r.host) {
		if err := d.Sync(); err != nil {
			return nil, err
		}
	}
	staged := r.host[r.next : r.next+n]
	r.next += (n + 15) &^ 15
	copy(staged, unsafe.Slice((*byte)(src), n))
	return unsafe.Pointer(&staged[0]), nil
}

// copiesByKernel reports whether copyWords can copy n bytes between the device's memory and pinned memory of the host,
// and is faster than the GPU's copy engine.
func copiesByKernel(dst, src unsafe.Pointer, n int) bool {
	return n <= maxSmallCopy && wordSize(n, param(dst), param(src)) >= wordBytes
}

// copyWords queues a copy of whole words by a kernel. Pinned memory has the same address on the device.
func (d *Device) copyWords(dst, src unsafe.Pointer, n int) error {
	words := n / wordBytes
	return d.queue(primitive{"copy_words", ""}, blocks(words, threads), uint64(words), param(src), param(dst))
}

const wordBytes = 8

func (r *uploadRing) close(d *Device) {
	FreePinned(d, r.host)
	*r = uploadRing{}
}
