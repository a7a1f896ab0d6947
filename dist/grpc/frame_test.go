package grpc

import (
	"context"
	"testing"

	"google.golang.org/grpc/mem"
	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/addresses"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

func TestHeaderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := header{kind: kind(rapid.Byte().Draw(t, "kind")), session: rapid.Uint64().Draw(t, "session"),
			seq: rapid.Uint64().Draw(t, "seq"),
			tag: rapid.Uint64().Draw(t, "tag"), length: rapid.Uint64().Draw(t, "length")}
		var b [headerBytes]byte
		h.encode(b[:])
		var got header
		if got.parse(b[:]); got != h {
			t.Fatalf("%+v became %+v", h, got)
		}
	})
}

// splitBuffers cuts b into pieces of the lengths cuts, as gRPC splits a message into HTTP/2 frames.
func splitBuffers(b []byte, cuts []byte) mem.BufferSlice {
	var s mem.BufferSlice
	for _, c := range cuts {
		n := min(int(c), len(b))
		s = append(s, mem.SliceBuffer(b[:n]))
		b = b[n:]
	}
	return append(s, mem.SliceBuffer(b))
}

func encode(h header, body []byte) []byte {
	b := make([]byte, headerBytes+len(body))
	h.encode(b)
	copy(b[headerBytes:], body)
	return b
}

// idleRank returns rank 0 of 2 without running writers.
func idleRank(unexpectedLimit int) *comm {
	c := &comm{refused: newRefusals(nil), cfg: Config{Rank: 0, Size: 2, UnexpectedLimit: unexpectedLimit}, session: 5,
		down: make(chan struct{}), stop: make(chan struct{})}
	c.peers, c.tree = newPeers(c, addresses.New([]string{"", ""})), collect.NewTree(0, 2)
	c.links = links{c: c, from: map[int]*[]byte{}}
	for r := range 2 {
		c.peers.at[r].Store(newPeer(c, r, ""))
		c.peers.of(r).tx.state = sendOpening
	}
	return c
}

func TestBadFramesAreRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"short":                    make([]byte, headerBytes-1),
		"another session":          encode(header{kind: eager, session: 6}, nil),
		"a gap":                    encode(header{kind: eager, session: 5, seq: 1}, nil),
		"unknown kind":             encode(header{kind: 99, session: 5}, nil),
		"length":                   encode(header{kind: eager, session: 5, length: 3}, []byte("ab")),
		"negative tag":             encode(header{kind: eager, session: 5, tag: 1 << 63}, nil),
		"unasked chunk":            encode(header{kind: chunk, session: 5, length: 1}, []byte("a")),
		"unasked acceptance":       encode(header{kind: accept, session: 5}, nil),
		"offer of a short message": encode(header{kind: offer, session: 5, length: 5}, nil),
		"offer of too much":        encode(header{kind: offer, session: 5, length: 1 << 63}, nil),
		"beyond the limit of unexpected messages": encode(header{kind: eager, session: 5, length: 5000}, make([]byte, 5000)),
	} {
		a := arrival{sink: idleRank(4096).peers.of(1)}
		if a.decode(splitBuffers(b, nil)) == nil || a.err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A message causes no allocation in this package.
func TestMessagesAllocateNothing(t *testing.T) {
	if poolDropsItems {
		t.Skip("sync.Pool drops items at random under the race detector")
	}
	c, ctx := idleRank(1<<20), context.Background()
	p := c.peers.of(1)
	out, in, reqs, length := make([]byte, 5000), make([]byte, 5000), make([]dist.Request, 2), new(int)
	f, a := new(frame), arrival{sink: p}
	data := make(mem.BufferSlice, 0, 2)
	n := 0
	got := testing.AllocsPerRun(200, func() {
		if n++; n%2 == 0 {
			reqs[0], _ = c.Isend(ctx, 1, 0, out)
			reqs[1], _ = c.Irecv(ctx, 1, 0, in)
		} else {
			reqs[0], _ = c.Isend(ctx, 1, 0, out[:n])
			reqs[1], _ = c.IrecvUpTo(ctx, 1, 0, in, length)
		}
		if !p.tx.next(f, c.session) {
			t.Fatal("nothing to send")
		}
		sent, err := codec{}.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data[:0], sent...)
		if err := a.decode(data); err != nil {
			t.Fatal(err)
		}
		sent.Free()
		if err := c.Wait(ctx, reqs); err != nil {
			t.Fatal(err)
		}
		if n%2 == 1 && *length != n {
			t.Fatalf("received %d bytes, want %d", *length, n)
		}
	})
	if got != 0 {
		t.Fatalf("%v allocations per message", got)
	}
}
