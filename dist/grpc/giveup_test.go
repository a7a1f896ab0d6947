package grpc

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/mem"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

func endedContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// offered sends a message of so many bytes to rank 1, with tag 3, and makes f the frame that offers it.
func offered(t *testing.T, rank *comm, f *frame, bytes int) dist.Request {
	t.Helper()
	r, err := rank.Isend(context.Background(), 1, 3, make([]byte, bytes))
	if err != nil || !rank.peers[1].tx.next(f, rank.session) {
		t.Fatal("nothing to send", err)
	}
	return r
}

// marshalled is a frame as gRPC takes it.
func marshalled(t *testing.T, f *frame) mem.BufferSlice {
	t.Helper()
	data, err := codec{}.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
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
		encode(header{kind: offer, session: 5, tag: 3, length: chunkBytes + 1}, nil),
		encode(header{kind: chunk, session: 5, seq: 1, length: 5}, []byte("early")),
		encode(header{kind: chunk, session: 5, seq: 2, length: 4}, []byte("late")),
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

// A long message that its receiver knows of continues with a copy when its send was given up.
func TestGivenUpSendGoesOn(t *testing.T) {
	c := lonely(1 << 20)
	p, f := c.peers[1], new(frame)
	buf := bytes.Repeat([]byte("a"), chunkBytes+1)
	r, err := c.Isend(context.Background(), 1, 3, buf)
	if err != nil {
		t.Fatal(err)
	}
	if !p.tx.next(f, c.session) || f.kind != offer {
		t.Fatalf("the first frame is of kind %d", f.kind)
	}
	if err := c.Wait(endedContext(), []dist.Request{r}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	clear(buf)
	a := arrival{to: p}
	if err := a.decode(pieces(encode(header{kind: accept, session: 5, tag: f.seq}, nil), nil)); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for p.tx.next(f, c.session) {
		data := marshalled(t, f)
		got = append(got, data.Materialize()[headerBytes:]...)
		data.Free()
	}
	if !bytes.Equal(got, bytes.Repeat([]byte("a"), chunkBytes+1)) {
		t.Fatalf("%d bytes went on, or others than were sent", len(got))
	}
}

// Memory that gRPC reads is the sender's again when Wait returns, however that ends.
func TestLentMemoryReturnsBeforeTheSendEnds(t *testing.T) {
	nothing := func(*comm) {}
	for name, c := range map[string]struct {
		bytes int
		ctx   context.Context
		event func(rank *comm) // what happens meanwhile
		want  error
	}{
		"sent":     {chunkBytes + zeroCopyBytes, context.Background(), nothing, nil},
		"given up": {2*chunkBytes + zeroCopyBytes, endedContext(), nothing, context.Canceled},
		"not wanted": {2*chunkBytes + zeroCopyBytes, context.Background(), func(c *comm) { c.peers[1].endSends() },
			ErrClosed},
		"run failed": {chunkBytes + zeroCopyBytes, context.Background(), func(c *comm) { c.fail(dist.ErrPeerLost) },
			dist.ErrPeerLost},
	} {
		test := func(t *testing.T) {
			rank := lonely(1 << 20)
			rank.cancelStreams = func() {}
			p, f := rank.peers[1], new(frame)
			r := offered(t, rank, f, c.bytes)
			if err := p.receiveReply(accept, f.seq); err != nil || !p.tx.next(f, rank.session) {
				t.Fatal("nothing to send", err)
			}
			var lent []mem.BufferSlice
			for range 2 { // of three chunks, one stays
				if lent = append(lent, marshalled(t, f)); c.bytes > 2*chunkBytes || !p.tx.next(f, rank.session) {
					break
				}
			}
			c.event(rank)
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
		}
		t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
	}
}

// The rank may post its next message as soon as the one before has ended, on whatever goroutine. The writer must not
// take the one for the other: the race detector sees when it looks at it.
func TestAnEndedSendIsLeftAlone(t *testing.T) {
	rank := lonely(1 << 20)
	p, f := rank.peers[1], new(frame)
	for range 100 {
		send := offered(t, rank, f, chunkBytes+1)
		if err := p.receiveReply(accept, f.seq); err != nil || !p.tx.next(f, rank.session) {
			t.Fatal("nothing to send", err)
		}
		marshalled(t, f).Free() // so that the last byte ends the message
		ended := make(chan error)
		go func() {
			err := rank.Wait(context.Background(), []dist.Request{send})
			receive, other := rank.Irecv(context.Background(), 1, 4, make([]byte, 8))
			ended <- errors.Join(err, other)
			if err := rank.Wait(endedContext(), []dist.Request{receive}); !errors.Is(err, context.Canceled) {
				ended <- err
			}
			close(ended)
		}()
		if !p.tx.next(f, rank.session) {
			t.Fatal("the last byte is not sent")
		}
		marshalled(t, f).Free()
		for err := range ended {
			if err != nil {
				t.Fatal(err)
			}
		}
		if p.tx.next(f, rank.session) {
			t.Fatalf("a frame of kind %d follows the last byte", f.kind)
		}
	}
}

// When the run fails, Wait does not wait long for memory that gRPC still reads. What returns of it later must not touch
// an operation that is used again by then.
func TestLentMemoryReturnsAfterTheRunHasFailed(t *testing.T) { synctest.Test(t, lateReturn) }

func lateReturn(t *testing.T) {
	rank := lonely(1 << 20)
	rank.cancelStreams = func() {}
	p, f := rank.peers[1], new(frame)
	r := offered(t, rank, f, chunkBytes+zeroCopyBytes)
	if err := p.receiveReply(accept, f.seq); err != nil {
		t.Fatal(err)
	}
	var lent []mem.BufferSlice
	for p.tx.next(f, rank.session) {
		lent = append(lent, marshalled(t, f))
	}
	rank.fail(dist.ErrPeerLost)
	if err := rank.Wait(context.Background(), []dist.Request{r}); !errors.Is(err, dist.ErrPeerLost) {
		t.Fatal(err)
	}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		for _, data := range lent {
			data.Free()
		}
	}()
	// A call that began before the failure goes on.
	o, _ := rank.table.Post(pending.Message{Send: true, Peer: 1, Tag: 4, Buf: []byte("next")})
	<-returned
	o.Complete(nil)
	if o.Borrowed != 0 || o.Sent != 0 {
		t.Fatalf("of the next operation, %d bytes are sent and %d parts lent", o.Sent, o.Borrowed)
	}
}
