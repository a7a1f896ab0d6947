package backendtest

import (
	"bytes"
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
		whole, err := backend.TakeSnapshot(s.dev, array)
		whole = must(t, whole, err)
		part, err := backend.TakeSnapshot(s.dev, array[7:1000])
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
