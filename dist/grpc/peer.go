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
	conn   *rpc.ClientConn // nil unless this rank has opened a stream
	closed bool            // no connection may be made any more

	lastErr lastError // of an attempt to connect

	life      *life.Pulse // heartbeats of the peer if this process checks them; else nil
	hasStream atomic.Bool // the peer has opened a stream
}

func newPeer(c *comm, rank int, address string) *peer {
	p := &peer{c: c, rank: rank, address: address}
	p.tx.wakeup = make(chan struct{}, 1)
	p.tx.done = make(chan struct{})
	return p
}

// open opens the stream of frames to the peer, which stays open until the end.
func (p *peer) open() (stream, error) {
	s, err := p.openStream(&exchangeDesc, exchangeMethod, new(arrival), rpc.CallContentSubtype(codecName),
		rpc.MaxRetryRPCBufferSize(0)) // otherwise gRPC retains sent messages for retries
	if err != nil {
		return nil, err
	}
	p.c.tasks.Go(func() { p.read(s) })
	return s, nil
}

// connection returns the connection that this rank opens to the peer.
func (p *peer) connection() (*rpc.ClientConn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed { // the rank has closed before
		return nil, dist.ErrClosed
	}
	var err error
	if p.conn == nil {
		p.conn, err = p.c.cfg.dial(p.address, p.rank, &p.lastErr)
	}
	return p.conn, err
}

// openStream opens a stream to the peer, and returns when the peer has accepted it. message is one of those that the
// peer sends.
func (p *peer) openStream(desc *rpc.StreamDesc, method string, message any, options ...rpc.CallOption) (
	rpc.ClientStream, error) {
	conn, err := p.connection()
	if err != nil {
		return nil, err
	}
	defer p.c.cfg.notifyWhile(func() string {
		return fmt.Sprintf("waiting for rank %d at %s: %v", p.rank, p.address, &p.lastErr)
	})()
	began, limit := time.Now(), p.c.cfg.JoinTimeout
	for {
		s, err := p.tryOpen(conn, desc, method, message, options, limit-time.Since(began))
		if err == nil {
			return s, nil
		}
		if p.c.streams.Err() != nil {
			return nil, err
		}
		if took := time.Since(began); took >= limit || status.Code(err) != codes.Unavailable {
			return nil, fmt.Errorf("no connection to %s within %v (%v): %w", p.address, took.Round(time.Millisecond), &p.lastErr,
				err)
		}
		time.Sleep(retryPause)
	}
}

// retryPause is the pause before a rank reconnects, after its unverified connection was closed in favour of newer
// ones.
const retryPause = 10 * time.Millisecond

// tryOpen opens a stream and waits until the peer has accepted it.
func (p *peer) tryOpen(conn *rpc.ClientConn, desc *rpc.StreamDesc, method string, message any,
	options []rpc.CallOption, limit time.Duration) (rpc.ClientStream, error) {
	ctx, cancel := context.WithCancel(p.c.streams)
	timer := time.AfterFunc(limit, cancel)
	s, err := conn.NewStream(withIdentity(ctx, p.c.cfg.Rank, p.c.session), desc, method, options...)
	if err == nil {
		err = awaitAccepted(s, message)
	}
	if err == nil && timer.Stop() {
		return s, nil // its context ends with c.streams
	}
	cancel()
	return nil, cmp.Or(err, context.DeadlineExceeded)
}

// awaitAccepted waits until the server of a stream has accepted it. message is one of those that it sends.
func awaitAccepted(s rpc.ClientStream, message any) error {
	md, err := s.Header()
	if err == nil && md == nil { // the stream has ended: the status has the cause
		if err = s.RecvMsg(message); err == nil {
			err = errors.New("a message arrived before the stream was accepted")
		}
	}
	return err
}

// accept returns the peer that has opened a stream.
func (c *comm) accept(s rpc.ServerStream) (*peer, error) {
	select {
	case <-c.ready: // the other rank may have received its welcome earlier
	case <-c.stop:
		return nil, status.Error(codes.Unavailable, "the rank has ended")
	case <-s.Context().Done():
		return nil, s.Context().Err()
	}
	rank, err := identity(s.Context(), c.cfg.Size, c.session, c.refused)
	if err != nil {
		return nil, err
	}
	return c.peers.of(rank), trustConnection(s.Context())
}

// serveExchange serves the stream of frames that another rank has opened.
func (c *comm) serveExchange(s rpc.ServerStream) error {
	p, err := c.accept(s)
	if err != nil {
		return err
	}
	if p.hasStream.Swap(true) {
		return status.Errorf(codes.AlreadyExists, "rank %d has another stream", p.rank)
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
