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

// postOffered sends a message of so many bytes to rank 1, with tag 3, and sets f to the frame that offers it.
func postOffered(t *testing.T, rank *comm, f *frame, bytes int) dist.Request {
	t.Helper()
	r, err := rank.Isend(context.Background(), 1, 3, make([]byte, bytes))
	if err != nil || !rank.peers.of(1).tx.next(f, rank.session) {
		t.Fatal("nothing to send", err)
	}
	return r
}

// marshal returns a frame as the codec passes it to gRPC.
func marshal(t *testing.T, f *frame) mem.BufferSlice {
	t.Helper()
	data, err := codec{}.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The bytes of a long message still arrive after its receive was cancelled; they must not be written to the buffer.
func TestCancelledReceiveKeepsItsBuffer(t *testing.T) {
	c := idleRank(1 << 20)
	a := arrival{sink: c.peers.of(1)}
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
		if err := a.decode(splitBuffers(b, nil)); err != nil {
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

// A long message that was offered to its receiver is sent from a copy after its send was cancelled.
func TestCancelledSendContinues(t *testing.T) {
	c := idleRank(1 << 20)
	p, f := c.peers.of(1), new(frame)
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
	a := arrival{sink: p}
	if err := a.decode(splitBuffers(encode(header{kind: accept, session: 5, tag: f.seq}, nil), nil)); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for p.tx.next(f, c.session) {
		data := marshal(t, f)
		got = append(got, data.Materialize()[headerBytes:]...)
		data.Free()
	}
	if !bytes.Equal(got, bytes.Repeat([]byte("a"), chunkBytes+1)) {
		t.Fatalf("%d bytes were sent, or bytes differ", len(got))
	}
}

// gRPC no longer reads the memory of the sender when Wait returns, with or without an error.
func TestBorrowedMemoryIsFreeWhenTheSendEnds(t *testing.T) {
	nothing := func(*comm) {}
	for name, c := range map[string]struct {
		bytes int
		ctx   context.Context
		event func(rank *comm) // happens while gRPC has the memory
		want  error
	}{
		"sent":      {chunkBytes + zeroCopyBytes, context.Background(), nothing, nil},
		"cancelled": {2*chunkBytes + zeroCopyBytes, endedContext(), nothing, context.Canceled},
		"receiver closed": {2*chunkBytes + zeroCopyBytes, context.Background(), func(c *comm) { c.peers.of(1).endSends() },
			dist.ErrClosed},
		"run failed": {chunkBytes + zeroCopyBytes, context.Background(), func(c *comm) { c.fail(dist.ErrPeerLost) },
			dist.ErrPeerLost},
	} {
		test := func(t *testing.T) {
			rank := idleRank(1 << 20)
			rank.cancelStreams = func() {}
			p, f := rank.peers.of(1), new(frame)
			r := postOffered(t, rank, f, c.bytes)
			if err := p.receiveReply(accept, f.seq); err != nil || !p.tx.next(f, rank.session) {
				t.Fatal("nothing to send", err)
			}
			var borrowed []mem.BufferSlice
			for range 2 { // of three chunks, one is not sent
				if borrowed = append(borrowed, marshal(t, f)); c.bytes > 2*chunkBytes || !p.tx.next(f, rank.session) {
					break
				}
			}
			c.event(rank)
			ended := make(chan error, 1)
			go func() { ended <- rank.Wait(c.ctx, []dist.Request{r}) }()
			for i, data := range borrowed {
				select {
				case err := <-ended:
					t.Fatalf("%d parts are still in use, and Wait returned %v", len(borrowed)-i, err)
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

// A rank may post its next message, on any goroutine, as soon as the last one has ended. The operation is reused,
// so the writer must not access it after its end; the race detector checks this.
func TestEndedSendIsNotAccessed(t *testing.T) {
	rank := idleRank(1 << 20)
	p, f := rank.peers.of(1), new(frame)
	for range 100 {
		send := postOffered(t, rank, f, chunkBytes+1)
		if err := p.receiveReply(accept, f.seq); err != nil || !p.tx.next(f, rank.session) {
			t.Fatal("nothing to send", err)
		}
		marshal(t, f).Free() // so that the last byte ends the message
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
		marshal(t, f).Free()
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

// When the run fails, Wait does not wait long for memory that gRPC still reads. When gRPC frees it later, the
// operation may be in use for another message, and must not be changed.
func TestBorrowedMemoryIsFreedAfterTheRunHasFailed(t *testing.T) { synctest.Test(t, freeAfterFailure) }

func freeAfterFailure(t *testing.T) {
	rank := idleRank(1 << 20)
	rank.cancelStreams = func() {}
	p, f := rank.peers.of(1), new(frame)
	r := postOffered(t, rank, f, chunkBytes+zeroCopyBytes)
	if err := p.receiveReply(accept, f.seq); err != nil {
		t.Fatal(err)
	}
	var borrowed []mem.BufferSlice
	for p.tx.next(f, rank.session) {
		borrowed = append(borrowed, marshal(t, f))
	}
	rank.fail(dist.ErrPeerLost)
	if err := rank.Wait(context.Background(), []dist.Request{r}); !errors.Is(err, dist.ErrPeerLost) {
		t.Fatal(err)
	}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		for _, data := range borrowed {
			data.Free()
		}
	}()
	// A call that began before the failure continues.
	o, _ := rank.table.Post(pending.Message{Send: true, Peer: 1, Tag: 4, Buf: []byte("next")})
	<-returned
	o.Complete(nil)
	if o.Borrowed != 0 || o.Sent != 0 {
		t.Fatalf("the next operation has %d bytes sent and %d parts borrowed, want 0", o.Sent, o.Borrowed)
	}
}
