package grpc

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/mem"
	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

func TestHeaderSurvivesTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := header{kind: kind(rapid.Byte().Draw(t, "kind")), call: collect.Kind(rapid.Byte().Draw(t, "call")),
			op: dist.Op(rapid.Byte().Draw(t, "op")), root: rapid.Uint32().Draw(t, "root"),
			epoch: rapid.Uint64().Draw(t, "epoch"), seq: rapid.Uint64().Draw(t, "seq"),
			tag: rapid.Uint64().Draw(t, "tag"), length: rapid.Uint64().Draw(t, "length")}
		var b [headerBytes]byte
		h.put(b[:])
		var got header
		if got.parse(b[:]); got != h {
			t.Fatalf("%+v became %+v", h, got)
		}
	})
}

// pieces cuts b at the places that cuts gives, as gRPC cuts a message into HTTP/2 frames.
func pieces(b []byte, cuts []byte) mem.BufferSlice {
	var s mem.BufferSlice
	for _, c := range cuts {
		n := min(int(c), len(b))
		s = append(s, mem.SliceBuffer(b[:n]))
		b = b[n:]
	}
	return append(s, mem.SliceBuffer(b))
}

// wire keeps what is sent, as bytes.
type wire struct{ frames [][]byte }

func (w *wire) SendMsg(v any) error {
	s, err := codec{}.Marshal(v)
	if err == nil {
		w.frames = append(w.frames, s.Materialize())
		s.Free()
	}
	return err
}
func (w *wire) RecvMsg(any) error        { return errors.New("nothing comes") }
func (w *wire) Context() context.Context { return context.Background() }

func TestLongMessagesArePutTogether(t *testing.T) {
	for _, n := range []int{0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3*chunkBytes + 7} {
		msg := bytes.Repeat([]byte("lagoon "), n/7+1)[:n]
		w, seq := new(wire), uint64(0)
		f := frame{header: header{kind: call, epoch: 5}}
		if err := sendLong(w, &f, &seq, msg); err != nil {
			t.Fatal(err)
		}
		in := assembler{epoch: 5, first: call, limit: uint64(n)}
		a := arrival{to: &in}
		for i, b := range w.frames {
			if in.full {
				t.Fatalf("%d bytes: full after %d of %d frames", n, i, len(w.frames))
			}
			if err := a.decode(pieces(b, []byte{1, 39, 3, 200})); err != nil {
				t.Fatal(err)
			}
		}
		if !in.full || !bytes.Equal(in.buf, msg) {
			t.Fatalf("%d bytes became %d", n, len(in.buf))
		}
	}
}

func encode(h header, body []byte) []byte {
	b := make([]byte, headerBytes+len(body))
	h.put(b)
	copy(b[headerBytes:], body)
	return b
}

// lonely returns a rank whose writers never run.
func lonely(early int) *comm {
	c := &comm{cfg: Config{Rank: 0, Size: 2, Early: early}, epoch: 5, down: make(chan struct{}), stop: make(chan struct{})}
	for r := range 2 {
		p := newPeer(c, r, "")
		p.tx.started = true
		c.peers = append(c.peers, p)
	}
	return c
}

func TestBadFramesAreRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"short":               make([]byte, headerBytes-1),
		"another epoch":       encode(header{kind: eager, epoch: 6}, nil),
		"a gap":               encode(header{kind: eager, epoch: 5, seq: 1}, nil),
		"unknown kind":        encode(header{kind: 99, epoch: 5}, nil),
		"length":              encode(header{kind: eager, epoch: 5, length: 3}, []byte("ab")),
		"negative tag":        encode(header{kind: eager, epoch: 5, tag: 1 << 63}, nil),
		"unasked chunk":       encode(header{kind: chunk, epoch: 5, length: 1}, []byte("a")),
		"unasked acceptance":  encode(header{kind: accept, epoch: 5}, nil),
		"offer of little":     encode(header{kind: offer, epoch: 5, length: 5}, nil),
		"offer of too much":   encode(header{kind: offer, epoch: 5, length: 1 << 63}, nil),
		"collective":          encode(header{kind: call, epoch: 5}, nil),
		"more than early has": encode(header{kind: eager, epoch: 5, length: 5000}, make([]byte, 5000)),
	} {
		a := arrival{to: lonely(4096).peers[1]}
		if a.decode(pieces(b, nil)) == nil || a.err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func endedContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// The bytes of a long message still come when its receive was given up; they must not touch the buffer.
func TestGivenUpReceiveKeepsItsBuffer(t *testing.T) {
	c := lonely(1 << 20)
	a := arrival{to: c.peers[1]}
	buf := make([]byte, chunkBytes+1)
	r, err := c.Irecv(context.Background(), 1, 3, buf)
	if err != nil {
		t.Fatal(err)
	}
	frames := [][]byte{
		encode(header{kind: offer, epoch: 5, tag: 3, length: chunkBytes + 1}, nil),
		encode(header{kind: chunk, epoch: 5, seq: 1, length: 5}, []byte("early")),
		encode(header{kind: chunk, epoch: 5, seq: 2, length: 4}, []byte("late")),
	}
	for i, b := range frames {
		if err := a.decode(pieces(b, nil)); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := c.Wait(endedContext(), []dist.Request{r}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
	}
	if got := string(buf[:10]); got != "early\x00\x00\x00\x00\x00" {
		t.Fatalf("the buffer holds %q", got)
	}
}

// A long message that its receiver knows of goes on with a copy when its send was given up.
func TestGivenUpSendGoesOn(t *testing.T) {
	c := lonely(1 << 20)
	p, f := c.peers[1], new(frame)
	buf := bytes.Repeat([]byte("a"), chunkBytes+1)
	r, err := c.Isend(context.Background(), 1, 3, buf)
	if err != nil {
		t.Fatal(err)
	}
	if !p.tx.next(f, c.epoch) || f.kind != offer {
		t.Fatalf("the first frame is of kind %d", f.kind)
	}
	if err := c.Wait(endedContext(), []dist.Request{r}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	clear(buf)
	a := arrival{to: p}
	if err := a.decode(pieces(encode(header{kind: accept, epoch: 5, tag: f.seq}, nil), nil)); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for p.tx.next(f, c.epoch) {
		data, err := codec{}.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, data.Materialize()[headerBytes:]...)
		data.Free()
	}
	if !bytes.Equal(got, bytes.Repeat([]byte("a"), chunkBytes+1)) {
		t.Fatalf("%d bytes went on, or others than were sent", len(got))
	}
}

// Memory that gRPC reads is the sender's again when Wait returns, however that ends.
func TestLentMemoryReturnsBeforeTheSendEnds(t *testing.T) {
	for name, c := range map[string]struct {
		bytes int
		ctx   context.Context
		leave bool // the peer leaves meanwhile
		want  error
	}{
		"sent":       {chunkBytes + lendBytes, context.Background(), false, nil},
		"given up":   {2*chunkBytes + lendBytes, endedContext(), false, context.Canceled},
		"not wanted": {2*chunkBytes + lendBytes, context.Background(), true, ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			rank := lonely(1 << 20)
			p, f := rank.peers[1], new(frame)
			r, err := rank.Isend(context.Background(), 1, 3, make([]byte, c.bytes))
			if err != nil || !p.tx.next(f, rank.epoch) {
				t.Fatal("nothing to send", err)
			}
			if err := p.replied(accept, f.seq); err != nil || !p.tx.next(f, rank.epoch) {
				t.Fatal("nothing to send", err)
			}
			var lent []mem.BufferSlice
			for range 2 { // of three chunks, one stays
				data, err := codec{}.Marshal(f)
				if err != nil {
					t.Fatal(err)
				}
				if lent = append(lent, data); c.bytes > 2*chunkBytes || !p.tx.next(f, rank.epoch) {
					break
				}
			}
			if c.leave {
				p.endSends()
			}
			ended := make(chan error, 1)
			go func() { ended <- rank.Wait(c.ctx, []dist.Request{r}) }()
			for i, data := range lent {
				select {
				case err := <-ended:
					t.Fatalf("%d parts are still read, and Wait returned %v", len(lent)-i, err)
				case <-time.After(10 * time.Millisecond):
				}
				data.Free()
			}
			if err := <-ended; !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("Wait returned %v, want %v", err, c.want)
			}
		})
	}
}

// FuzzFrames gives a rank with posted receives any frames: it must not panic, nor keep more than Early.
func FuzzFrames(f *testing.F) {
	f.Add(encode(header{kind: eager, epoch: 5, tag: 1, length: 3}, []byte("abc")), []byte{40})
	f.Add(encode(header{kind: offer, epoch: 5, tag: 2, length: chunkBytes + 1}, nil), []byte{})
	f.Add(encode(header{kind: chunk, epoch: 5, tag: 0, length: 3}, []byte("abc")), []byte{3, 3})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		c := lonely(1 << 16)
		p := c.peers[1]
		for tag, n := range []int{0, 3, chunkBytes + 1} {
			o, _ := c.table.Post(false, 1, tag, make([]byte, n))
			p.receive(o)
		}
		// The input is cut into frames by its first byte; all but the first are numbered, to get further.
		size := headerBytes + 8
		for seq := uint64(0); len(data) > 0; seq++ {
			b := bytes.Clone(data[:min(size, len(data))])
			data = data[len(b):]
			if seq > 0 && len(b) >= headerBytes {
				var h header
				h.parse(b)
				h.epoch, h.seq = 5, seq
				h.put(b)
			}
			a := arrival{to: p}
			if a.decode(pieces(b, cuts)) != nil {
				return
			}
			if p.rx.held > 1<<16 {
				t.Fatalf("%d bytes are held", p.rx.held)
			}
		}
	})
}

func FuzzCollectFrames(f *testing.F) {
	f.Add(encode(header{kind: call, epoch: 5, length: 3}, []byte("abc")), []byte{40})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		in := assembler{epoch: 5, first: call, limit: 1 << 16}
		a := arrival{to: &in}
		for len(data) > 0 {
			n := min(headerBytes+16, len(data))
			if a.decode(pieces(data[:n], cuts)) != nil {
				return
			}
			data = data[n:]
			if uint64(len(in.buf)) > in.limit {
				t.Fatalf("%d bytes are held", len(in.buf))
			}
		}
	})
}

func FuzzUnpack(f *testing.F) {
	r := collect.NewRound(2)
	r.Parts = [][]byte{[]byte("ring"), nil}
	f.Add(packed(collect.Call{Kind: collect.Allgather}, r), 2)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		if size < 1 || size > 100 {
			return
		}
		parts, err := unpack(data, size)
		if err != nil {
			return
		}
		r := collect.NewRound(size)
		r.Parts = parts
		if !bytes.Equal(packed(collect.Call{Kind: collect.Gather}, r), data) {
			t.Fatal("the parts do not make the whole")
		}
	})
}

// A message costs nothing of ours.
func TestMessagesAllocateNothing(t *testing.T) {
	if poolsForget {
		t.Skip("pools forget under the race detector")
	}
	c, ctx := lonely(1<<20), context.Background()
	p := c.peers[1]
	out, in, reqs := make([]byte, 5000), make([]byte, 5000), make([]dist.Request, 2)
	f, a := new(frame), arrival{to: p}
	data := make(mem.BufferSlice, 0, 2)
	got := testing.AllocsPerRun(200, func() {
		reqs[0], _ = c.Isend(ctx, 1, 0, out)
		reqs[1], _ = c.Irecv(ctx, 1, 0, in)
		if !p.tx.next(f, c.epoch) {
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
	})
	if got != 0 {
		t.Fatalf("%v allocations a message", got)
	}
}
