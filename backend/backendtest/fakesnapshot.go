package backendtest

import (
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// MakeSnapshot implements backend.Snapshotter.
func (f *FakeGPU) MakeSnapshot(src unsafe.Pointer, n, size, stride int) (backend.Snapshot, error) {
	bytes := n * size
	if bytes > f.Size-f.Used {
		return nil, nil
	}
	f.OpenSnapshots++
	f.Used += bytes
	f.SnapshotBytes += bytes
	f.SnapshotPeak = max(f.SnapshotPeak, f.SnapshotBytes)
	copied := make([]byte, bytes)
	return &fakeSnapshot{f, copied}, f.Access(func() error {
		for i := range n {
			copy(copied[i*size:], unsafe.Slice((*byte)(unsafe.Add(src, i*stride)), size))
		}
		return nil
	})
}

type fakeSnapshot struct {
	gpu   *FakeGPU
	bytes []byte
}

func (s *fakeSnapshot) Read(dst []byte, offset int) error {
	if s.bytes == nil || offset+len(dst) > len(s.bytes) {
		return fmt.Errorf("%d bytes from %d are not in the snapshot of %d bytes", len(dst), offset, len(s.bytes))
	}
	copy(dst, s.bytes[offset:])
	return nil
}

func (s *fakeSnapshot) Close() error {
	s.gpu.OpenSnapshots--
	s.gpu.Used -= len(s.bytes)
	s.gpu.SnapshotBytes -= len(s.bytes)
	s.bytes = nil
	return nil
}
