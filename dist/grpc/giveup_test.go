package grpc

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/proto"
)

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
	nothing := func(*comm) {}
	for name, c := range map[string]struct {
		bytes int
		ctx   context.Context
		event func(rank *comm) // what happens meanwhile
		want  error
	}{
		"sent":       {chunkBytes + lendBytes, context.Background(), nothing, nil},
		"given up":   {2*chunkBytes + lendBytes, endedContext(), nothing, context.Canceled},
		"not wanted": {2*chunkBytes + lendBytes, context.Background(), func(c *comm) { c.peers[1].endSends() }, ErrClosed},
		"run failed": {chunkBytes + lendBytes, context.Background(), func(c *comm) { c.fail(dist.ErrPeerLost) },
			dist.ErrPeerLost},
	} {
		test := func(t *testing.T) {
			rank := lonely(1 << 20)
			rank.cut = func() {}
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
		send, err := rank.Isend(context.Background(), 1, 3, make([]byte, chunkBytes+1))
		if err != nil || !p.tx.next(f, rank.epoch) {
			t.Fatal("nothing to send", err)
		}
		if err := p.replied(accept, f.seq); err != nil || !p.tx.next(f, rank.epoch) {
			t.Fatal("nothing to send", err)
		}
		first, err := codec{}.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		first.Free() // so that the last byte ends the message
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
		if !p.tx.next(f, rank.epoch) {
			t.Fatal("the last byte is not sent")
		}
		last, err := codec{}.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		last.Free()
		for err := range ended {
			if err != nil {
				t.Fatal(err)
			}
		}
		if p.tx.next(f, rank.epoch) {
			t.Fatalf("a frame of kind %d follows the last byte", f.kind)
		}
	}
}

// When the run fails, Wait does not wait long for memory that gRPC still reads. What returns of it later must not touch
// an operation that is used again by then.
func TestLentMemoryReturnsAfterTheRunHasFailed(t *testing.T) { synctest.Test(t, lateReturn) }

func lateReturn(t *testing.T) {
	rank := lonely(1 << 20)
	rank.cut = func() {}
	p, f := rank.peers[1], new(frame)
	r, err := rank.Isend(context.Background(), 1, 3, make([]byte, chunkBytes+lendBytes))
	if err != nil || !p.tx.next(f, rank.epoch) {
		t.Fatal("nothing to send", err)
	}
	if err := p.replied(accept, f.seq); err != nil {
		t.Fatal(err)
	}
	var lent []mem.BufferSlice
	for p.tx.next(f, rank.epoch) {
		data, err := codec{}.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		lent = append(lent, data)
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
	o, _ := rank.table.Post(true, 1, 4, []byte("next"))
	<-returned
	o.Complete(nil)
	if o.Lent != 0 || o.Sent != 0 {
		t.Fatalf("of the next operation, %d bytes are sent and %d parts lent", o.Sent, o.Lent)
	}
}

// What is expected of a rank that has left ends, whatever the last frame was that it had sent.
func TestNothingComesFromARankThatHasLeft(t *testing.T) {
	for name, last := range map[string]header{
		"a refusal": {kind: refuse, epoch: 5},
		"an offer":  {kind: offer, epoch: 5, tag: 4, length: chunkBytes + 1}, // whose bytes can no longer be sent
	} {
		t.Run(name, func(t *testing.T) {
			rank := lonely(1 << 20)
			p, f := rank.peers[1], new(frame)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			send, err := rank.Isend(ctx, 1, 3, make([]byte, chunkBytes+1))
			if err != nil || !p.tx.next(f, rank.epoch) {
				t.Fatal("nothing to send", err)
			}
			before, err := rank.Irecv(ctx, 1, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			p.leave(1)
			a := arrival{to: p}
			if err := a.decode(pieces(encode(last, nil), nil)); err != nil {
				t.Fatal(err)
			}
			after, err := rank.Irecv(ctx, 1, 4, make([]byte, chunkBytes+1))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []dist.Request{send, before, after} {
				if err := rank.Wait(ctx, []dist.Request{r}); !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
			}
		})
	}
}

// The answer to a collective may come while the failure of the run ends the call: the race detector sees when it is
// looked at then.
func TestAnswerThatComesWithTheFailure(t *testing.T) {
	for range 20 {
		rank := lonely(1 << 20)
		rank.cut = func() {}
		rank.gather.stream, rank.gather.wake = new(wire), make(chan struct{}, 1)
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			rank.fail(dist.ErrPeerLost)
			rank.gather.answered([]byte("late"))
		}()
		if err := rank.Barrier(context.Background()); err != nil && !errors.Is(err, dist.ErrPeerLost) {
			t.Fatal(err)
		}
		<-answered
	}
}

// closable makes a lonely rank one that can be closed. Nobody answers it.
func closable(t *testing.T, rank *comm) {
	t.Helper()
	rank.cfg.CloseTimeout = 10 * time.Millisecond
	rank.cut, rank.server = func() {}, newServer()
	conn, err := dial("unix:/nobody")
	if err != nil {
		t.Fatal(err)
	}
	rank.link = &link{c: rank, conn: conn, cancel: func() {}, out: make(chan *proto.FromRank, 8),
		farewell: make(chan struct{}), over: make(chan struct{})}
}

// A rank whose messages a peer does not take, while the others still run, leaves when its time is up.
func TestCloseDoesNotWaitForAPeerThatDoesNotRead(t *testing.T) {
	rank := lonely(1 << 20) // its writers never end
	closable(t, rank)
	closed := make(chan error, 1)
	go func() { closed <- rank.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		rank.fail(errors.New("the test has failed")) // so that Close returns
		<-closed
		t.Fatal("Close waits without end")
	}
}

// A writer may start as late as its rank ends. The connection that it opens then must not stay behind, and try again
// and again to reach the peer.
func TestNoConnectionIsOpenedAfterTheEnd(t *testing.T) {
	rank := lonely(1 << 20)
	rank.streams = endedContext()
	p := rank.peers[1]
	p.address = "unix:/nobody"
	p.close()
	if _, err := p.open(); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}

// A rank that leaves with a receive posted may still answer an offer: the race detector sees when the frames are
// counted meanwhile.
func TestAnswerWhileTheRankLeaves(t *testing.T) {
	for range 10 {
		rank := lonely(1 << 20)
		for _, p := range rank.peers {
			p.tx.started = false // nothing was sent
		}
		closable(t, rank)
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			for x := &rank.peers[1].tx; ; time.Sleep(10 * time.Microsecond) {
				x.mu.Lock()
				leaves := x.closing
				if leaves {
					x.replies = append(x.replies, replied{accept, 0})
					x.next(&x.frame, rank.epoch)
				}
				x.mu.Unlock()
				if leaves {
					return
				}
			}
		}()
		if err := rank.Close(); err != nil {
			t.Fatal(err)
		}
		<-answered
	}
}

// broken is a control stream that breaks after one message.
type broken struct {
	rpc.BidiStreamingClient[proto.FromRank, proto.FromCoordinator]
	msg *proto.FromCoordinator
}

func (b *broken) Recv() (*proto.FromCoordinator, error) {
	msg := b.msg
	if b.msg = nil; msg == nil {
		return nil, errors.New("broken")
	}
	return msg, nil
}

// A rank that still joins when another leaves already, and the coordinator dies, notices that.
func TestCoordinatorThatDiesWhileARankJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rank := lonely(1 << 20)
		rank.cut, rank.ready = func() {}, make(chan struct{})
		left := &proto.FromCoordinator{Kind: &proto.FromCoordinator_Left{Left: &proto.Left{Rank: 1}}}
		l := &link{c: rank, over: make(chan struct{}), stream: &broken{msg: left}}
		go l.receive()
		defer rank.tasks.Wait()
		defer close(rank.stop)
		select {
		case <-rank.down:
			if !errors.Is(rank.cause, dist.ErrPeerLost) {
				t.Error(rank.cause)
			}
		case <-time.After(time.Minute):
			t.Error("nothing ends the rank")
		}
	})
}
