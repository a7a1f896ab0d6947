package backendtest

import (
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// MakeSnapshot implements backend.Snapshotter.
func (f *FakeGPU) MakeSnapshot(src unsafe.Pointer, bytes int) (backend.Snapshot, error) {
	if bytes > f.Size-f.Used {
		return nil, nil
	}
	f.OpenSnapshots++
	f.Used += bytes
	f.SnapshotBytes += bytes
	f.SnapshotPeak = max(f.SnapshotPeak, f.SnapshotBytes)
	return &fakeSnapshot{f, append([]byte(nil), unsafe.Slice((*byte)(src), bytes)...)}, nil
}

type fakeSnapshot struct {
	gpu   *FakeGPU
	bytes []byte
}

func (c *fakeSnapshot) Read(dst []byte, offset int) error {
	if c.bytes == nil || offset+len(dst) > len(c.bytes) {
		return fmt.Errorf("%d bytes from %d are not in the snapshot of %d bytes", len(dst), offset, len(c.bytes))
	}
	copy(dst, c.bytes[offset:])
	return nil
}

func (c *fakeSnapshot) Close() error {
	c.gpu.OpenSnapshots--
	c.gpu.Used -= len(c.bytes)
	c.gpu.SnapshotBytes -= len(c.bytes)
	c.bytes = nil
	return nil
}
