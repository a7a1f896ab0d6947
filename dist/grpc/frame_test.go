package grpc

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc/mem"
	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

func TestHeaderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := header{kind: kind(rapid.Byte().Draw(t, "kind")), call: collect.Kind(rapid.Byte().Draw(t, "call")),
			op: dist.Op(rapid.Byte().Draw(t, "op")), root: rapid.Uint32().Draw(t, "root"),
			session: rapid.Uint64().Draw(t, "session"), seq: rapid.Uint64().Draw(t, "seq"),
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

// sentFrames is a stream that records the frames sent, as bytes.
type sentFrames struct{ frames [][]byte }

func (w *sentFrames) SendMsg(v any) error {
	s, err := codec{}.Marshal(v)
	if err == nil {
		w.frames = append(w.frames, s.Materialize())
		s.Free()
	}
	return err
}
func (w *sentFrames) RecvMsg(any) error        { return errors.New("no frames to receive") }
func (w *sentFrames) Context() context.Context { return context.Background() }

func TestLongMessagesAreAssembled(t *testing.T) {
	for _, n := range []int{0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3*chunkBytes + 7} {
		msg := bytes.Repeat([]byte("lagoon "), n/7+1)[:n]
		w, seq := new(sentFrames), uint64(0)
		f := frame{header: header{kind: call, session: 5}}
		if err := sendLong(w, &f, &seq, msg); err != nil {
			t.Fatal(err)
		}
		in := assembler{session: 5, first: call, limit: uint64(n)}
		a := arrival{sink: &in}
		for i, b := range w.frames {
			if in.complete {
				t.Fatalf("%d bytes: full after %d of %d frames", n, i, len(w.frames))
			}
			if err := a.decode(splitBuffers(b, []byte{1, 39, 3, 200})); err != nil {
				t.Fatal(err)
			}
		}
		if !in.complete || !bytes.Equal(in.buf, msg) {
			t.Fatalf("%d bytes became %d", n, len(in.buf))
		}
	}
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
	for r := range 2 {
		p := newPeer(c, r, "")
		p.tx.state = sendOpening
		c.peers = append(c.peers, p)
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
		"collective":               encode(header{kind: call, session: 5}, nil),
		"beyond the limit of unexpected messages": encode(header{kind: eager, session: 5, length: 5000}, make([]byte, 5000)),
	} {
		a := arrival{sink: idleRank(4096).peers[1]}
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
	p := c.peers[1]
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
