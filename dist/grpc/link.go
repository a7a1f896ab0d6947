package grpc

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	rpc "google.golang.org/grpc"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/proto"
)

// link is a rank's connection to the coordinator.
type link struct {
	c      *comm
	conn   *rpc.ClientConn
	cancel context.CancelFunc
	stream rpc.BidiStreamingClient[proto.FromRank, proto.FromCoordinator]

	out      chan *proto.FromRank
	heard    atomic.Int64 // nanoseconds from start to the last sign of life
	start    time.Time
	missing  atomic.Pointer[proto.Beat]
	welcome  chan *proto.Welcome
	farewell chan struct{}
	over     chan struct{} // closed when nothing more will come
	verdict  atomic.Pointer[proto.Verdict]
}

// attend says hello to the coordinator. It returns when the coordinator is reached.
func (c *comm) attend(ctx context.Context, address string) error {
	conn, err := dial(c.cfg.Coordinator)
	if err != nil {
		return err
	}
	lasting, cancel := context.WithCancel(context.Background())
	l := &link{c: c, conn: conn, cancel: cancel, out: make(chan *proto.FromRank, 8), start: time.Now(),
		welcome: make(chan *proto.Welcome, 1), farewell: make(chan struct{}), over: make(chan struct{})}
	c.link = l
	defer context.AfterFunc(ctx, cancel)() // until here, and no longer, ctx ends the stream
	l.stream, err = proto.NewCoordinatorClient(conn).Attend(lasting)
	if err == nil {
		err = l.stream.Send(&proto.FromRank{Kind: &proto.FromRank_Hello{Hello: &proto.Hello{Protocol: protocol,
			Rank: uint32(c.cfg.Rank), Size: uint32(c.cfg.Size), Address: address, BuildId: c.cfg.BuildID,
			CaseHash: c.cfg.CaseHash}}})
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("dist/grpc: no coordinator answers at %s: %w", c.cfg.Coordinator, err)
	}
	c.tasks.Go(l.receive)
	c.tasks.Go(l.send)
	return nil
}

// coordinatorRank is the rank that errors of the coordinator name: -1 when it belongs to none.
func (c *comm) coordinatorRank() int {
	if c.cfg.External {
		return -1
	}
	return 0
}

func (l *link) receive() {
	defer close(l.over)
	for {
		msg, err := l.stream.Recv()
		if err != nil {
			l.c.fail(&dist.PeerError{Rank: l.c.coordinatorRank(), Err: dist.ErrPeerLost})
			return
		}
		l.heard.Store(int64(time.Since(l.start)))
		switch k := msg.Kind.(type) {
		case *proto.FromCoordinator_Beat:
			l.missing.Store(k.Beat)
		case *proto.FromCoordinator_Welcome:
			select {
			case l.welcome <- k.Welcome:
			default: // a second welcome has no meaning
			}
		case *proto.FromCoordinator_Left:
			l.c.tasks.Go(func() { l.left(k.Left) }) // apart: it may wait, and the end of the stream must be seen meanwhile
		case *proto.FromCoordinator_Farewell:
			close(l.farewell)
			return
		case *proto.FromCoordinator_Verdict:
			l.verdict.Store(k.Verdict)
			l.c.fail(verdictError(k.Verdict))
			return
		}
	}
}

// left takes the news that a rank has left, once this one has joined.
func (l *link) left(left *proto.Left) {
	select {
	case <-l.c.ready:
	case <-l.c.stop:
		return
	}
	if int(left.Rank) < len(l.c.peers) {
		l.c.peers[left.Rank].leave(left.Sent)
	}
}

// verdictError is what the calls of a rank return after a verdict.
func verdictError(v *proto.Verdict) error {
	switch v.Kind {
	case proto.Verdict_ABORTED:
		return &dist.AbortError{Rank: int(v.Rank), Code: int(v.Code), Cause: v.Text}
	case proto.Verdict_LOST:
		return &dist.PeerError{Rank: int(v.Rank), Err: fmt.Errorf("%w: %s", dist.ErrPeerLost, v.Text)}
	}
	return &dist.PeerError{Rank: int(v.Rank), Err: errors.New(v.Text)}
}

// say sends a message, unless nothing more can be said.
func (l *link) say(msg *proto.FromRank) {
	select {
	case l.out <- msg:
	case <-l.over:
	case <-l.c.stop:
	}
}

// send sends what there is to say, gives signs of life, and watches those of the coordinator.
func (l *link) send() {
	silence := l.c.cfg.Silence
	beat := time.NewTicker(l.c.cfg.Beat)
	defer beat.Stop()
	watch := time.NewTicker(silence / 12)
	defer watch.Stop()
	last := time.Now()
	for {
		var err error
		select {
		case msg := <-l.out:
			err = l.stream.Send(msg)
		case <-beat.C:
			err = l.stream.Send(&proto.FromRank{Kind: &proto.FromRank_Beat{Beat: &proto.Beat{}}})
		case now := <-watch.C:
			// Whoever was stopped together with the coordinator must not blame it for that.
			if now.Sub(last) > silence/3 {
				l.heard.Store(int64(time.Since(l.start)))
			} else if now.Sub(l.start)-time.Duration(l.heard.Load()) > silence {
				l.c.fail(&dist.PeerError{Rank: l.c.coordinatorRank(),
					Err: fmt.Errorf("%w: no sign of life for %v", dist.ErrPeerLost, silence)})
			}
			last = now
		case <-l.over:
			_ = l.stream.CloseSend() // tells the coordinator that the end was heard; it needs no answer
			return
		case <-l.c.stop:
			return
		}
		if err != nil { // receive learns why
			return
		}
	}
}

func (l *link) close() {
	l.cancel()
	_ = l.conn.Close() // says only that it was closed before
}
