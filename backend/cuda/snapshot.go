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
	pool := &d.snapshots
	if pool.stream == nil {
		if err := pool.open(d); err != nil {
			return nil, err
		}
	}
	memory, err := pool.memoryFor(d, uintptr(bytes))
	if err != nil || memory.address == 0 {
		return nil, err
	}
	err = d.Move(pointer(memory.address), src, bytes)
	if err = errors.Join(err, d.compute.Record(pool.copyDone), pool.stream.Wait(pool.copyDone)); err != nil {
		return nil, err
	}
	return &snapshot{d, memory}, nil
}

func (pool *snapshotPool) open(d *Device) (err error) {
	if pool.stream, err = d.newStream(); err != nil {
		return err
	}
	if pool.copyDone, err = d.NewEvent(); err != nil {
		return err
	}
	pool.pinned, err = Pinned[byte](d, transferBytes)
	return err
}

func (pool *snapshotPool) close(d *Device) {
	pool.stream.close()
	pool.copyDone.Close()
	FreePinned(d, pool.pinned)
}

// memoryFor returns memory for a snapshot: memory of a closed snapshot of the same size, or new memory. If too
// little memory is free, it returns address 0.
func (pool *snapshotPool) memoryFor(d *Device, bytes uintptr) (allocation, error) {
	for i, s := range pool.spare {
		if s.size == bytes {
			pool.spare = slices.Delete(pool.spare, i, i+1)
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
	pool.allocated += bytes
	return allocation{p, bytes}, nil
}

// Read implements backend.Snapshot. It does not use the device's stored error, which belongs to another goroutine.
func (s *snapshot) Read(dst []byte, offset int) error {
	pool := &s.d.snapshots
	pool.lock.Lock()
	defer pool.lock.Unlock()
	for len(dst) > 0 {
		n := min(len(dst), len(pool.pinned))
		host := uintptr(unsafe.Pointer(unsafe.SliceData(pool.pinned)))
		if err := errors.Join(
			s.d.callNoAlloc(cuMemcpyDtoHAsync, [maxArgs]uintptr{host, s.address + uintptr(offset), uintptr(n),
				pool.stream.handle}),
			s.d.callNoAlloc(cuStreamSynchronize, [maxArgs]uintptr{pool.stream.handle}),
		); err != nil {
			return err
		}
		copy(dst, pool.pinned[:n])
		dst, offset = dst[n:], offset+n
	}
	return nil
}

// Close implements backend.Snapshot. The device keeps the memory for the next snapshot.
func (s *snapshot) Close() error {
	s.d.snapshots.spare = append(s.d.snapshots.spare, s.allocation)
	return nil
}
