package backendtest

import (
	"bytes"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
)

// keep: copies of arrays stay as they are while the arrays change, and their memory serves the next ones.
func (s *suite) keep(t *testing.T) {
	if _, ok := s.dev.(backend.Keeper); !ok {
		return
	}
	const n = 5_000_003 // more than goes to the host at a time
	r := random(n)
	for round := range 3 {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		array := put(t, s, text)
		whole, err := backend.Keep(s.dev, array)
		whole = must(t, whole, err)
		part, err := backend.Keep(s.dev, array[7:1000])
		part = must(t, part, err)
		if err := backend.Copy(s.dev, array[:n/2], array[n/2:n/2*2]); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		for _, c := range []struct {
			of       backend.Kept
			at, many int
			want     []byte
		}{
			{whole, 0, n, text}, {whole, 13, 77, text[13:90]}, {part, 3, 900, text[10:910]},
			{whole, 9, n - 9, text[9:]},
		} {
			go func() {
				got := make([]byte, c.many)
				err := c.of.Read(got, c.at)
				if err == nil && !bytes.Equal(got, c.want) {
					t.Errorf("round %d: %d bytes from %d are others", round, c.many, c.at)
				}
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		for _, k := range []backend.Kept{whole, part} {
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
