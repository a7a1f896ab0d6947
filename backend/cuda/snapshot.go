package cuda

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// snapshotPool is the memory, stream and event that the snapshots of a device share.
type snapshotPool struct {
	spare     []allocation // memory of closed snapshots, for the next ones; only the device's goroutine uses it
	allocated uintptr      // bytes of all snapshots, spare ones too
	copyDone  *Event
	stream    *Stream    // waits for the snapshots that are queued on the compute stream, and transfers them to the host
	lock      sync.Mutex // guards pinned: one reader transfers at a time
	pinned    []byte
}

// transferBytes is the size of a transfer to the host. It takes less than a millisecond: a goroutine that waits for a
// GPU cannot be preempted.
const transferBytes = 4 << 20

// snapshot is a snapshot of an array.
type snapshot struct {
	d *Device
	allocation
}

// MakeSnapshot implements backend.Snapshotter. It leaves at least a sixteenth of the GPU's memory free for other
// allocations.
func (d *Device) MakeSnapshot(src unsafe.Pointer, bytes int) (backend.Snapshot, error) {
	k := &d.snapshots
	if k.stream == nil {
		if err := k.open(d); err != nil {
			return nil, err
		}
	}
	memory, err := k.memoryFor(d, uintptr(bytes))
	if err != nil || memory.address == 0 {
		return nil, err
	}
	err = d.Move(pointer(memory.address), src, bytes)
	if err = errors.Join(err, d.compute.Record(k.copyDone), k.stream.Wait(k.copyDone)); err != nil {
		return nil, err
	}
	return &snapshot{d, memory}, nil
}

func (k *snapshotPool) open(d *Device) (err error) {
	if k.stream, err = d.newStream(); err != nil {
		return err
	}
	if k.copyDone, err = d.NewEvent(); err != nil {
		return err
	}
	k.pinned, err = Pinned[byte](d, transferBytes)
	return err
}

func (k *snapshotPool) close(d *Device) {
	k.stream.close()
	k.copyDone.Close()
	FreePinned(d, k.pinned)
}

// memoryFor returns memory for a snapshot: memory of a closed snapshot of the same size, or new memory. If too
// little memory is free, it returns address 0.
func (k *snapshotPool) memoryFor(d *Device, bytes uintptr) (allocation, error) {
	for i, s := range k.spare {
		if s.size == bytes {
			k.spare = slices.Delete(k.spare, i, i+1)
			return s, nil
		}
	}
	free, total, err := d.MemoryInfo()
	if err != nil || free < uint64(bytes)+total/16 {
		return allocation{}, err
	}
	p, err := d.allocate(int(bytes))
	var outOfMemory *OutOfMemory
	if errors.As(err, &outOfMemory) {
		return allocation{}, nil
	}
	if err != nil {
		return allocation{}, err
	}
	d.arrays.add(p, bytes)
	k.allocated += bytes
	return allocation{p, bytes}, nil
}

// Read implements backend.Snapshot. It does not use the device's stored error, which belongs to another goroutine.
func (c *snapshot) Read(dst []byte, offset int) error {
	k := &c.d.snapshots
	k.lock.Lock()
	defer k.lock.Unlock()
	for len(dst) > 0 {
		n := min(len(dst), len(k.pinned))
		host := uintptr(unsafe.Pointer(unsafe.SliceData(k.pinned)))
		if err := errors.Join(
			c.d.callNoAlloc(cuMemcpyDtoHAsync, [maxArgs]uintptr{host, c.address + uintptr(offset), uintptr(n), k.stream.handle}),
			c.d.callNoAlloc(cuStreamSynchronize, [maxArgs]uintptr{k.stream.handle}),
		); err != nil {
			return err
		}
		copy(dst, k.pinned[:n])
		dst, offset = dst[n:], offset+n
	}
	return nil
}

// Close implements backend.Snapshot. The device keeps the memory for the next snapshot.
func (c *snapshot) Close() error {
	c.d.snapshots.spare = append(c.d.snapshots.spare, c.allocation)
	return nil
}
