package grpc

import (
	"bytes"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// FuzzFrames sends arbitrary frames to a rank with posted receives. It must not panic, hold more than
// UnexpectedLimit, or write beyond the buffer of a receive.
func FuzzFrames(f *testing.F) {
	f.Add(encode(header{kind: eager, session: 5, tag: 1, length: 3}, []byte("abc")), []byte{40})
	f.Add(encode(header{kind: offer, session: 5, tag: 2, length: chunkBytes + 1}, nil), []byte{})
	f.Add(encode(header{kind: chunk, session: 5, tag: 0, length: 3}, []byte("abc")), []byte{3, 3})
	f.Add(encode(header{kind: eager, session: 5, tag: 3, length: 2}, []byte("ab")), []byte{})
	f.Add(encode(header{kind: eager, session: 5, tag: 3, length: 7}, []byte("abcdefg")), []byte{})
	f.Add(slices.Concat(encode(header{kind: offer, session: 5, tag: 4, length: chunkBytes + 1}, nil),
		make([]byte, 8), encode(header{kind: chunk, tag: 0, length: 8}, []byte("abcdefgh"))), []byte{})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		c := idleRank(1 << 16)
		p := c.peers.of(1)
		for tag, n := range []int{0, 3, chunkBytes + 1} {
			o, _ := c.table.Post(pending.Message{Peer: 1, Tag: tag, Buf: make([]byte, n)})
			p.receive(o)
		}
		limits := []int{5, chunkBytes + 7}
		memory, length := make([][]byte, len(limits)), []int{-1, -1}
		for i, n := range limits {
			memory[i] = bytes.Repeat([]byte{0xa5}, n+8)
			o, _ := c.table.Post(pending.Message{Peer: 1, Tag: 3 + i, Buf: memory[i][:n:n], Length: &length[i]})
			p.receive(o)
		}
		defer func() {
			for i, n := range limits {
				if length[i] > n || bytes.Count(memory[i][max(length[i], 0):], []byte{0xa5}) < len(memory[i])-max(length[i], 0) {
					t.Errorf("a receive of up to %d bytes holds %d, or was written beyond that", n, length[i])
				}
			}
		}()
		// The input is cut into frames of size bytes. All but the first get the session and sequence number, to
		// pass the first checks.
		size := headerBytes + 8
		for seq := uint64(0); len(data) > 0; seq++ {
			b := bytes.Clone(data[:min(size, len(data))])
			data = data[len(b):]
			if seq > 0 && len(b) >= headerBytes {
				var h header
				h.parse(b)
				h.session, h.seq = 5, seq
				h.encode(b)
			}
			a := arrival{sink: p}
			if a.decode(splitBuffers(b, cuts)) != nil {
				return
			}
			if p.rx.unexpectedBytes > 1<<16 {
				t.Fatalf("%d bytes are buffered", p.rx.unexpectedBytes)
			}
		}
	})
}
