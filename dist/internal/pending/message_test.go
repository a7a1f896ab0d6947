package pending

import (
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
)

// TestAccept: a receive accepts the lengths that it expects and no other.
func TestAccept(t *testing.T) {
	const unset = -7
	for name, c := range map[string]struct {
		capacity, n int
		upTo        bool
		want        string // of the error
	}{
		"as expected":         {4, 4, false, ""},
		"nothing":             {0, 0, false, ""},
		"too short":           {4, 3, false, "rank 1: sent 3 bytes with tag 5 where 4 bytes are expected"},
		"too long":            {4, 5, false, "rank 1: sent 5 bytes with tag 5 where 4 bytes are expected"},
		"up to: all":          {4, 4, true, ""},
		"up to: less":         {4, 3, true, ""},
		"up to: nothing":      {4, 0, true, ""},
		"up to: no room":      {0, 0, true, ""},
		"up to: one more":     {4, 5, true, "rank 1: sent 5 bytes with tag 5 where up to 4 bytes are expected"},
		"up to: one, no room": {0, 1, true, "rank 1: sent 1 bytes with tag 5 where up to 0 bytes are expected"},
	} {
		t.Run(name, func(t *testing.T) {
			m, length := Message{Peer: 1, Tag: 5, Buf: make([]byte, c.capacity)}, unset
			if c.upTo {
				m.Length = &length
			}
			buf, err := m.Accept(c.n)
			if c.want != "" {
				var p *dist.PeerError
				if err == nil || err.Error() != c.want || !errors.As(err, &p) || p.Rank != 1 {
					t.Errorf("error %v, want %s", err, c.want)
				}
				if buf != nil || length != unset {
					t.Errorf("refused message: memory of %d bytes, length %d", len(buf), length)
				}
				return
			}
			if err != nil || len(buf) != c.n || c.upTo && length != c.n {
				t.Errorf("memory of %d bytes, length %d, error %v", len(buf), length, err)
			}
		})
	}
}

func TestMessageString(t *testing.T) {
	for want, m := range map[string]Message{
		"send of 3 bytes with tag 2":          {Send: true, Tag: 2, Buf: make([]byte, 3)},
		"receive of 0 bytes with tag 2":       {Tag: 2},
		"receive of up to 3 bytes with tag 0": {Buf: make([]byte, 3), Length: new(int)},
	} {
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
