package cuda

import "unsafe"

// ring is pinned memory that small uploads pass through, so that the host need not wait for them: what a step sends
// is a few numbers. All of it is free again whenever the host has waited for the compute stream.
type ring struct {
	host []byte
	next int
}

const (
	ringSize = 1 << 16
	small    = 1 << 12 // bytes of the largest upload that takes this way
)

func (r *ring) open(d *Device) (err error) {
	r.host, err = Pinned[byte](d, ringSize)
	return err
}

// stage copies n ≤ small bytes to where the GPU reads them later. A full ring is waited for.
func (r *ring) stage(d *Device, src unsafe.Pointer, n int) (unsafe.Pointer, error) {
	if r.next+n > len(r.host) {
		if err := d.Sync(); err != nil {
			return nil, err
		}
	}
	to := r.host[r.next : r.next+n]
	r.next += (n + 15) &^ 15
	copy(to, unsafe.Slice((*byte)(src), n))
	return unsafe.Pointer(&to[0]), nil
}

func (r *ring) close(d *Device) {
	FreePinned(d, r.host)
	*r = ring{}
}
