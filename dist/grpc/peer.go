package grpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/life"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// peer is the state for messages with a neighbour, or with the rank itself. Lock order: rx.mu, then tx.mu.
type peer struct {
	c       *comm
	rank    int
	address string
	rx      inbox
	tx      outbound

	mu     sync.Mutex
	conn   *rpc.ClientConn // nil unless this rank has opened the stream
	closed bool            // no connection may be made any more

	life      *life.Pulse // heartbeats of the peer if this process checks them; else nil
	hasStream atomic.Bool // the peer has opened a stream
}

func newPeer(c *comm, rank int, address string) *peer {
	p := &peer{c: c, rank: rank, address: address}
	p.tx.wakeup = make(chan struct{}, 1)
	p.tx.done = make(chan struct{})
	return p
}

// open opens the stream to the peer, which stays open until the end.
func (p *peer) open() (stream, error) {
	lastErr := new(lastError)
	conn, err := p.c.cfg.dial(p.address, p.rank, lastErr)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.conn = conn
	}
	p.mu.Unlock()
	if closed { // the rank has closed before the writer began
		return nil, errors.Join(dist.ErrClosed, conn.Close())
	}
	defer p.c.cfg.notifyWhile(func() string {
		return fmt.Sprintf("waiting for rank %d at %s: %v", p.rank, p.address, lastErr)
	})()
	began, limit := time.Now(), p.c.cfg.JoinTimeout
	for {
		s, err := p.tryOpen(conn, limit-time.Since(began))
		if err == nil {
			p.c.tasks.Go(func() { p.read(s) })
			return s, nil
		}
		if p.c.streams.Err() != nil {
			return nil, err
		}
		if took := time.Since(began); took >= limit || status.Code(err) != codes.Unavailable {
			return nil, fmt.Errorf("no connection to %s within %v (%v): %w", p.address, took.Round(time.Millisecond), lastErr,
				err)
		}
		time.Sleep(retryPause)
	}
}

// retryPause is the pause before a rank reconnects, after its unverified connection was closed in favour of newer
// ones.
const retryPause = 10 * time.Millisecond

// tryOpen opens a stream and waits until the peer has accepted it.
func (p *peer) tryOpen(conn *rpc.ClientConn, limit time.Duration) (rpc.ClientStream, error) {
	ctx, cancel := context.WithCancel(p.c.streams)
	timer := time.AfterFunc(limit, cancel)
	s, err := conn.NewStream(withIdentity(ctx, p.c.cfg.Rank, p.c.session), &exchangeDesc, exchangeMethod,
		rpc.CallContentSubtype(codecName), rpc.MaxRetryRPCBufferSize(0)) // otherwise gRPC retains sent messages for retries
	if err == nil {
		err = awaitAccepted(s)
	}
	if err == nil && timer.Stop() {
		return s, nil // its context ends with c.streams
	}
	cancel()
	return nil, cmp.Or(err, context.DeadlineExceeded)
}

// awaitAccepted waits until the server of a stream of frames has accepted it.
func awaitAccepted(s rpc.ClientStream) error {
	md, err := s.Header()
	if err == nil && md == nil { // the stream has ended: the status has the cause
		if err = s.RecvMsg(new(arrival)); err == nil {
			err = errors.New("a frame arrived before the stream was accepted")
		}
	}
	return err
}

// serveExchange serves the stream that another rank has opened.
func (c *comm) serveExchange(s rpc.ServerStream) error {
	select {
	case <-c.ready: // the other rank may have received its welcome earlier
	case <-c.stop:
		return nil
	case <-s.Context().Done():
		return nil
	}
	rank, err := identity(s.Context(), c.cfg.Size, c.session, c.refused)
	if err != nil {
		return err
	}
	p := c.peers.of(rank)
	if err := trustConnection(s.Context()); err != nil {
		return err
	}
	if p.hasStream.Swap(true) {
		return status.Errorf(codes.AlreadyExists, "rank %d has another stream", rank)
	}
	if err := s.SendHeader(nil); err != nil { // confirms that the stream is accepted
		return err
	}
	adopted := p.tx.adopt(s)
	p.read(s)
	if adopted {
		p.tx.release(s)
	}
	return nil
}

// read receives frames until the stream ends.
func (p *peer) read(s stream) {
	a := arrival{sink: p}
	for s.RecvMsg(&a) == nil {
		if p.life != nil {
			p.life.Beat()
		}
	}
	select {
	case <-p.c.stop:
	case <-p.c.down:
	default:
		if a.err != nil {
			p.c.reportFault(p.rank, a.err)
		} else {
			p.c.peerLost(p, errors.New("its connection broke"))
		}
	}
}

// takeFrame handles a frame from the peer.
func (p *peer) takeFrame(h *header, b *body) error {
	if h.kind == accept || h.kind == refuse {
		if err := p.countFrame(h); err != nil {
			return err
		}
		return p.receiveReply(h.kind, h.tag)
	}
	p.rx.mu.Lock()
	defer p.rx.mu.Unlock()
	if err := checkSequence(h, p.c.session, &p.rx.frames); err != nil {
		return err
	}
	defer p.rx.endIfLeft(p.rank)
	switch h.kind {
	case eager:
		return p.receiveEager(h, b)
	case offer:
		return p.receiveOffer(h)
	case chunk:
		return p.receiveChunk(h, b)
	}
	return fmt.Errorf("an unexpected frame of kind %d", h.kind)
}

// leave records that the peer has left after so many frames, and ends calls that wait for it.
func (p *peer) leave(sent uint64) {
	p.rx.mu.Lock()
	p.rx.peerLeft, p.rx.lastFrame = true, sent
	p.rx.endIfLeft(p.rank)
	p.rx.mu.Unlock()
	p.endSends()
}

func (p *peer) hasLeft() bool {
	p.rx.mu.Lock()
	defer p.rx.mu.Unlock()
	return p.rx.peerLeft
}

func leftError(rank int, o *pending.Op) error {
	return &dist.PeerError{Rank: rank, Err: fmt.Errorf("%v: %w", o, dist.ErrClosed)}
}

func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.conn != nil {
		_ = p.conn.Close() // fails only if closed before
	}
}
