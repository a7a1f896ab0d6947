package backendtest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
)

// snapshots proves that snapshots do not change when their arrays do, and that the memory of closed snapshots is
// reused.
func (s *suite) snapshots(t *testing.T) {
	if _, ok := s.dev.(backend.Snapshotter); !ok {
		return
	}
	const n = 5_000_003 // more than one transfer to the host holds
	r := random(n)
	for round := range 3 {
		contents := make([]byte, n)
		for i := range contents {
			contents[i] = byte(r.Uint32())
		}
		array := upload(t, s, contents)
		whole, err := backend.TakeSnapshot(s.dev, array, n, n)
		whole = must(t, whole, err)
		part, err := backend.TakeSnapshot(s.dev, array[7:1000], 993, 993)
		part = must(t, part, err)
		if err := backend.Copy(s.dev, array[:n/2], array[n/2:n/2*2]); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		for _, c := range []struct {
			snapshot       backend.Snapshot
			offset, length int
			want           []byte
		}{
			{whole, 0, n, contents}, {whole, 13, 77, contents[13:90]}, {part, 3, 900, contents[10:910]},
			{whole, 9, n - 9, contents[9:]},
		} {
			go func() {
				got := make([]byte, c.length)
				err := c.snapshot.Read(got, c.offset)
				if err == nil && !bytes.Equal(got, c.want) {
					t.Errorf("round %d: %d bytes from %d differ from the array at the time of the snapshot", round, c.length, c.offset)
				}
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		for _, k := range []backend.Snapshot{whole, part} {
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// packedSnapshots proves that snapshots of some bytes of each element hold these bytes.
func (s *suite) packedSnapshots(t *testing.T) {
	if _, ok := s.dev.(backend.Snapshotter); !ok {
		return
	}
	const bytes = 3_000_000
	r := random(bytes)
	contents := make([]byte, bytes)
	for i := range contents {
		contents[i] = byte(r.Uint32())
	}
	array := upload(t, s, contents)
	for _, e := range []struct{ first, size, stride int }{
		{0, 8, 16}, {8, 8, 16}, {0, 16, 48}, {4, 4, 12}, {4, 8, 20}, {3, 5, 7}, {0, 24, 24}, {1, 1, 2}, {16, 16, 1000},
		{0, bytes, bytes},
	} {
		n := (bytes - e.first) / e.stride
		var want []byte
		for i := range n {
			begin := e.first + i*e.stride
			want = append(want, contents[begin:begin+e.size]...)
		}
		packed, err := backend.TakeSnapshot(s.dev, array[e.first:e.first+(n-1)*e.stride+e.size], e.size, e.stride)
		packed = must(t, packed, err)
		got := make([]byte, len(want))
		if err := packed.Read(got, 0); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: the snapshot differs from the array", e)
		}
		if err := packed.Close(); err != nil {
			t.Error(err)
		}
	}
}
