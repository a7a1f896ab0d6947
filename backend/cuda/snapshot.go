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
	lock      sync.Mutex // of the reader that transfers, while others copy what they have transferred
	pinned    []byte
	buffers   chan []byte // parts of pinned that no reader uses
}

// The copy of transferBytes to the host takes less than a tenth of a millisecond: a goroutine that waits for a GPU
// cannot be preempted. The GPU copies faster than a processor does from pinned memory.
const (
	transferBytes   = 1 << 20
	transferBuffers = 8
)

// snapshot is a snapshot of an array.
type snapshot struct {
	d *Device
	allocation
}

// MakeSnapshot implements backend.Snapshotter. It leaves at least a sixteenth of the GPU's memory free for other
// allocations.
func (d *Device) MakeSnapshot(src unsafe.Pointer, n, size, stride int) (backend.Snapshot, error) {
	pool := &d.snapshots
	if size == stride {
		n, size = 1, n*size
	}
	if pool.stream == nil {
		if err := pool.open(d); err != nil {
			return nil, err
		}
	}
	memory, err := pool.memoryFor(d, uintptr(n*size))
	if err != nil || memory.address == 0 {
		return nil, err
	}
	if n == 1 {
		err = d.Move(pointer(memory.address), src, size)
	} else {
		err = d.pack(pointer(memory.address), src, n, size, stride)
	}
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
	if pool.pinned, err = Pinned[byte](d, transferBuffers*transferBytes); err != nil {
		return err
	}
	pool.buffers = make(chan []byte, transferBuffers)
	for buffer := range slices.Chunk(pool.pinned, transferBytes) {
		pool.buffers <- buffer
	}
	return nil
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
	buffer := <-pool.buffers
	defer func() { pool.buffers <- buffer }()
	for len(dst) > 0 {
		n := min(len(dst), len(buffer))
		if err := pool.transfer(s.d, buffer[:n], s.address+uintptr(offset)); err != nil {
			return err
		}
		copy(dst, buffer[:n])
		dst, offset = dst[n:], offset+n
	}
	return nil
}

// transfer copies bytes from an address on the device to pinned memory.
func (pool *snapshotPool) transfer(d *Device, pinned []byte, from uintptr) error {
	pool.lock.Lock()
	defer pool.lock.Unlock()
	host := uintptr(unsafe.Pointer(unsafe.SliceData(pinned)))
	return errors.Join(
		d.callNoAlloc(cuMemcpyDtoHAsync, [maxArgs]uintptr{host, from, uintptr(len(pinned)), pool.stream.handle}),
		d.callNoAlloc(cuStreamSynchronize, [maxArgs]uintptr{pool.stream.handle}))
}

// Close implements backend.Snapshot. The device keeps the memory for the next snapshot.
func (s *snapshot) Close() error {
	s.d.snapshots.spare = append(s.d.snapshots.spare, s.allocation)
	return nil
}
