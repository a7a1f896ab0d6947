package grpc

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	rpc "google.golang.org/grpc"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/life"
	"github.com/atoll-hpc/atoll/proto"
)

// Calls that wait for a rank that has left end, whatever its last frame was.
func TestCallsEndWhenAPeerHasLeft(t *testing.T) {
	for name, last := range map[string]header{
		"a refusal": {kind: refuse, session: 5},
		"an offer":  {kind: offer, session: 5, tag: 4, length: chunkBytes + 1}, // whose bytes can no longer be sent
	} {
		t.Run(name, func(t *testing.T) {
			rank := idleRank(1 << 20)
			p, f := rank.peers.of(1), new(frame)
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			defer cancel()
			send := postOffered(t, rank, f, chunkBytes+1)
			before, err := rank.Irecv(ctx, 1, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			p.leave(1)
			a := arrival{sink: p}
			if err := a.decode(splitBuffers(encode(last, nil), nil)); err != nil {
				t.Fatal(err)
			}
			after, err := rank.Irecv(ctx, 1, 4, make([]byte, chunkBytes+1))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []dist.Request{send, before, after} {
				if err := rank.Wait(ctx, []dist.Request{r}); !errors.Is(err, dist.ErrClosed) {
					t.Error(err)
				}
			}
		})
	}
}

// makeClosable adds to an idle rank what Close needs. No coordinator answers it.
func makeClosable(t *testing.T, rank *comm) {
	t.Helper()
	rank.cfg.CloseTimeout = 10 * time.Millisecond
	rank.cancelStreams, rank.server = func() {}, newServer(&rank.cfg, nil)
	conn, err := rank.cfg.dial("unix:/nobody", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	rank.control = &controlClient{c: rank, conn: conn, cancel: func() {}, out: make(chan *proto.FromRank, 8),
		farewell: make(chan struct{}), over: make(chan struct{})}
}

// A rank whose peer does not read its messages returns from Close after CloseTimeout.
func TestCloseWithoutReader(t *testing.T) {
	rank := idleRank(1 << 20) // its writers never run
	makeClosable(t, rank)
	closed := make(chan error, 1)
	go func() { closed <- rank.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Hour):
		rank.fail(errors.New("the test has failed")) // so that Close returns
		<-closed
		t.Fatal("Close does not return")
	}
}

// A writer may start while its rank ends. It must not leave a connection behind that keeps trying to reach the
// peer.
func TestNoConnectionAfterClose(t *testing.T) {
	rank := idleRank(1 << 20)
	rank.streams = endedContext()
	p := rank.peers.of(1)
	p.address = "unix:/nobody"
	p.close()
	if _, err := p.open(); !errors.Is(err, dist.ErrClosed) {
		t.Fatal(err)
	}
}

// A rank may answer an offer while it leaves with a posted receive. Close reads the number of frames at the same
// time; the race detector checks this.
func TestReplyDuringClose(t *testing.T) {
	for range 10 {
		rank := idleRank(1 << 20)
		rank.peers.each(func(p *peer) bool {
			p.tx.state = sendUnopened // nothing was sent
			return true
		})
		makeClosable(t, rank)
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			for x := &rank.peers.of(1).tx; ; time.Sleep(10 * time.Microsecond) {
				x.mu.Lock()
				closing := x.closing
				if closing {
					x.replies = append(x.replies, offerReply{accept, 0})
					x.next(&x.frame, rank.session)
				}
				x.mu.Unlock()
				if closing {
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

// brokenStream is a control stream whose Recv fails.
type brokenStream struct {
	rpc.BidiStreamingClient[proto.FromRank, proto.FromCoordinator]
}

func (b *brokenStream) Recv() (*proto.FromCoordinator, error) { return nil, errors.New("broken") }

// A rank that is still joining, when another leaves and the coordinator dies, detects the death.
func TestCoordinatorDiesDuringJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rank := idleRank(1 << 20)
		rank.cancelStreams, rank.ready = func() {}, make(chan struct{})
		left := &proto.FromCoordinator{Kind: &proto.FromCoordinator_Beat{Beat: &proto.Beat{Left: []uint32{1},
			Sent: []uint64{0}}}}
		l := &controlClient{c: rank, over: make(chan struct{}), first: left, stream: new(brokenStream),
			life: life.NewPulse(life.NewClock(time.Second))}
		go l.receiveLoop()
		defer rank.tasks.Wait()
		defer close(rank.stop)
		select {
		case <-rank.down:
			if !errors.Is(rank.cause, dist.ErrPeerLost) {
				t.Error(rank.cause)
			}
		case <-time.After(time.Hour):
			t.Error("the rank does not fail")
		}
	})
}
