package grpc

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/life"
	"github.com/atoll-hpc/atoll/proto"
)

// controlClient is a rank's connection to the coordinator.
type controlClient struct {
	c      *comm
	conn   *rpc.ClientConn
	cancel context.CancelFunc
	stream rpc.BidiStreamingClient[proto.FromRank, proto.FromCoordinator]

	out      chan *proto.FromRank
	clock    *life.Clock
	first    *proto.FromCoordinator // the coordinator's answer to the hello
	life     *life.Pulse            // of the coordinator
	pages    []string               // addresses in the pages of the welcome so far
	missing  atomic.Pointer[proto.Beat]
	linked   chan struct{} // closed when this rank has received the welcome and is connected to its parent
	allReady chan struct{} // closed when all ranks are linked and have told so
	tell     chan struct{} // signals that a heartbeat is to be sent now
	welcome  chan *proto.Welcome
	farewell chan struct{}
	over     chan struct{} // closed when the stream has ended
	verdict  atomic.Pointer[proto.Verdict]
}

// connectControl connects to the coordinator and sends the hello. It retries until ctx ends.
func (c *comm) connectControl(ctx context.Context, address string) error {
	lastErr := new(lastError)
	conn, err := c.cfg.dial(c.cfg.Coordinator, c.coordinatorRank(), lastErr)
	if err != nil {
		return err
	}
	streamCtx, cancel := context.WithCancel(context.Background())
	l := &controlClient{c: c, conn: conn, cancel: cancel, out: make(chan *proto.FromRank, 8),
		tell: make(chan struct{}, 1), welcome: make(chan *proto.Welcome, 1), farewell: make(chan struct{}),
		over: make(chan struct{}), linked: make(chan struct{}), allReady: make(chan struct{})}
	l.clock = life.NewClock(c.cfg.checkInterval())
	c.control = l
	defer context.AfterFunc(ctx, cancel)() // ctx ends the stream only during this call
	defer c.cfg.notifyWhile(func() string {
		return fmt.Sprintf("waiting for the coordinator at %s: %v", c.cfg.Coordinator, lastErr)
	})()
	for {
		err = l.hello(streamCtx, address)
		if err == nil || ctx.Err() != nil || status.Code(err) != codes.Unavailable {
			break
		}
		time.Sleep(retryPause)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w (%v)", context.Cause(ctx), lastErr)
		}
		return fmt.Errorf("dist/grpc: no coordinator reached at %s: %w", c.cfg.Coordinator, err)
	}
	l.life = life.NewPulse(l.clock)
	c.tasks.Go(l.receiveLoop)
	c.tasks.Go(l.sendLoop)
	return nil
}

// hello sends the rank's identity, and waits for the answer.
func (l *controlClient) hello(ctx context.Context, address string) (err error) {
	cfg := &l.c.cfg
	if l.stream, err = proto.NewCoordinatorClient(l.conn).Attend(ctx); err != nil {
		return err
	}
	// An error of Send is ignored: the stream has ended, and Recv returns the cause.
	_ = l.stream.Send(&proto.FromRank{Kind: &proto.FromRank_Hello{Hello: &proto.Hello{Protocol: Protocol,
		Rank: uint32(cfg.Rank), Size: uint32(cfg.Size), Address: address, BuildId: cfg.BuildID, CaseHash: cfg.CaseHash,
		Epoch: cfg.Epoch, Token: cfg.Token}}})
	l.first, err = l.stream.Recv()
	return err
}

// coordinatorRank returns the rank in errors of the coordinator: -1 if it is not in the process of a rank.
func (c *comm) coordinatorRank() int {
	if c.cfg.External {
		return -1
	}
	return 0
}

func (l *controlClient) receiveLoop() {
	defer close(l.over)
	msg, err := l.first, error(nil)
	for ; err == nil; msg, err = l.stream.Recv() {
		l.life.Beat()
		switch k := msg.Kind.(type) {
		case *proto.FromCoordinator_Beat:
			l.takeBeat(k.Beat)
		case *proto.FromCoordinator_Welcome:
			if err := l.addPage(k.Welcome); err != nil {
				l.c.fail(&dist.PeerError{Rank: l.c.coordinatorRank(), Err: err})
				return
			}
		case *proto.FromCoordinator_Farewell:
			close(l.farewell)
			return
		case *proto.FromCoordinator_Verdict:
			l.verdict.Store(k.Verdict)
			l.c.fail(verdictError(k.Verdict))
			return
		case *proto.FromCoordinator_Refusal:
			l.c.fail(&dist.PeerError{Rank: l.c.cfg.Rank, Err: fmt.Errorf("%w: it %s", ErrRefused, k.Refusal.Text)})
			return
		}
	}
	l.c.fail(&dist.PeerError{Rank: l.c.coordinatorRank(), Err: dist.ErrPeerLost})
}

// addPage appends a page of the welcome, and delivers the welcome when it is complete.
func (l *controlClient) addPage(w *proto.Welcome) error {
	size := l.c.cfg.Size
	if int(w.First) != len(l.pages) || len(l.pages)+len(w.Addresses) > size || len(w.Addresses) == 0 {
		return fmt.Errorf("sent a page of the welcome with %d ranks from rank %d on, after %d of %d", len(w.Addresses),
			w.First, len(l.pages), size)
	}
	if l.pages = append(l.pages, w.Addresses...); len(l.pages) == size {
		l.welcome <- &proto.Welcome{Session: w.Session, Addresses: l.pages}
	}
	return nil
}

// takeBeat handles what a heartbeat of the coordinator tells.
func (l *controlClient) takeBeat(b *proto.Beat) {
	l.missing.Store(b)
	if b.Ready && !l.joined() {
		select {
		case <-l.linked:
			l.c.watch.heardAll()
			close(l.allReady)
		default: // not true
		}
	}
	if b.Ask {
		l.tellSoon()
	}
	if len(b.Left) > 0 { // in a goroutine, since it may block, and the caller must detect the end of the stream
		l.c.tasks.Go(func() { l.peersLeft(b) })
	}
}

// joined reports whether all ranks have joined.
func (l *controlClient) joined() bool {
	select {
	case <-l.allReady:
		return true
	default:
		return false
	}
}

// peersLeft handles the ranks in a heartbeat that have left, once this rank has joined.
func (l *controlClient) peersLeft(b *proto.Beat) {
	select {
	case <-l.c.ready:
	case <-l.c.stop:
		return
	}
	for i, rank := range b.Left {
		if int64(rank) < int64(l.c.cfg.Size) && i < len(b.Sent) {
			l.c.peers.leave(int(rank), b.Sent[i])
		}
	}
}

// tellSoon makes sendLoop send a heartbeat now.
func (l *controlClient) tellSoon() {
	select {
	case l.tell <- struct{}{}:
	default:
	}
}

// beat returns a heartbeat.
func (l *controlClient) beat() *proto.FromRank {
	b := &proto.Beat{Entered: l.c.entered.Load()}
	select {
	case <-l.linked:
		b.Ready = true
	default:
	}
	return &proto.FromRank{Kind: &proto.FromRank_Beat{Beat: b}}
}

// verdictError returns the error of the calls of a rank after a verdict.
func verdictError(v *proto.Verdict) error {
	switch v.Kind {
	case proto.Verdict_ABORTED:
		return &dist.AbortError{Rank: int(v.Rank), Code: int(v.Code), Cause: v.Text}
	case proto.Verdict_LOST:
		return &dist.PeerError{Rank: int(v.Rank), Err: fmt.Errorf("%w: %s", dist.ErrPeerLost, v.Text)}
	}
	return &dist.PeerError{Rank: int(v.Rank), Err: errors.New(v.Text)}
}

// send queues a message, unless the stream has ended.
func (l *controlClient) send(msg *proto.FromRank) {
	select {
	case l.out <- msg:
	case <-l.over:
	case <-l.c.stop:
	}
}

// sendLoop sends queued messages and heartbeats, and checks for heartbeats of the coordinator.
func (l *controlClient) sendLoop() {
	beat := time.NewTicker(l.c.cfg.Beat)
	defer beat.Stop()
	watch := time.NewTicker(l.c.cfg.checkInterval())
	defer watch.Stop()
	for {
		var err error
		select {
		case msg := <-l.out:
			err = l.stream.Send(msg)
		case <-beat.C:
			if l.c.cfg.External || !l.joined() { // otherwise heartbeats go along the tree
				err = l.stream.Send(l.beat())
			}
		case <-l.tell:
			err = l.stream.Send(l.beat())
		case <-watch.C:
			l.clock.Tick()
			if !l.c.cfg.External && l.joined() {
				l.c.watch.check()
				continue
			}
			if limit := l.c.cfg.silenceLimit(l.joined()); l.life.Silent(limit) {
				l.c.fail(&dist.PeerError{Rank: l.c.coordinatorRank(),
					Err: fmt.Errorf("%w: no heartbeat for %v", dist.ErrPeerLost, limit)})
			}
		case <-l.over:
			_ = l.stream.CloseSend() // confirms the end to the coordinator; errors do not matter any more
			return
		case <-l.c.stop:
			return
		}
		if err != nil { // receiveLoop gets the cause
			return
		}
	}
}

func (l *controlClient) close() {
	l.cancel()
	_ = l.conn.Close() // fails only if closed before
}
