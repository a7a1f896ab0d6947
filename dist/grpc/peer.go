package grpc

import (
	"errors"
	"fmt"
	"sync"

	rpc "google.golang.org/grpc"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// peer is a neighbour, or the rank itself. Locks are taken in the order rx, tx.
type peer struct {
	c       *comm
	rank    int
	address string
	rx      inbox
	tx      outbound

	mu     sync.Mutex
	conn   *rpc.ClientConn // nil unless this rank has opened the stream
	closed bool            // no connection is to be made any more
}

func newPeer(c *comm, rank int, address string) *peer {
	p := &peer{c: c, rank: rank, address: address}
	p.tx.kick = make(chan struct{}, 1)
	p.tx.done = make(chan struct{})
	return p
}

// open opens the stream to the peer, which stays open until the end.
func (p *peer) open() (stream, error) {
	conn, err := dial(p.address)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.conn = conn
	}
	p.mu.Unlock()
	if closed { // the rank has ended before the writer began
		return nil, errors.Join(ErrClosed, conn.Close())
	}
	s, err := conn.NewStream(withIdentity(p.c.streams, p.c.cfg.Rank, p.c.epoch), &exchangeDesc, exchangeMethod,
		rpc.CallContentSubtype(codecName), rpc.MaxRetryRPCBufferSize(0)) // or gRPC keeps what it has sent for a while
	if err != nil {
		return nil, err
	}
	p.c.tasks.Go(func() { p.read(s) })
	return s, nil
}

// serveExchange serves the stream that another rank has opened.
func (c *comm) serveExchange(s rpc.ServerStream) error {
	select {
	case <-c.ready: // the other may have got its welcome first
	case <-c.stop:
		return nil
	case <-s.Context().Done():
		return nil
	}
	rank, err := identity(s.Context(), c.cfg.Size, c.epoch)
	if err != nil {
		return err
	}
	p := c.peers[rank]
	writes := p.tx.adopt(s)
	p.read(s)
	if writes {
		p.tx.release(s)
	}
	return nil
}

// read takes frames until the stream ends.
func (p *peer) read(s stream) {
	a := arrival{to: p}
	for s.RecvMsg(&a) == nil {
	}
	select {
	case <-p.c.stop:
	case <-p.c.down:
	default:
		if a.err != nil {
			p.c.blame(p.rank, a.err)
		} else {
			p.c.lose(p)
		}
	}
}

// take takes a frame from the peer.
func (p *peer) take(h *header, b *body) error {
	if h.kind == accept || h.kind == refuse {
		if err := p.count(h); err != nil {
			return err
		}
		return p.replied(h.kind, h.tag)
	}
	p.rx.mu.Lock()
	defer p.rx.mu.Unlock()
	if err := sequence(h, p.c.epoch, &p.rx.frames); err != nil {
		return err
	}
	defer p.rx.endIfLeft(p.rank)
	switch h.kind {
	case eager:
		return p.arrived(h, b)
	case offer:
		return p.offered(h)
	case chunk:
		return p.continued(h, b)
	}
	return fmt.Errorf("a frame of kind %d", h.kind)
}

// leave notes that the peer sends nothing after so many frames.
func (p *peer) leave(sent uint64) {
	p.rx.mu.Lock()
	p.rx.left, p.rx.last = true, sent
	p.rx.endIfLeft(p.rank)
	p.rx.mu.Unlock()
	p.endSends()
}

func (p *peer) hasLeft() bool {
	p.rx.mu.Lock()
	defer p.rx.mu.Unlock()
	return p.rx.left
}

func gone(rank int, o *pending.Op) error {
	return &dist.PeerError{Rank: rank, Err: fmt.Errorf("%v: %w", o, ErrClosed)}
}

func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.conn != nil {
		_ = p.conn.Close() // says only that it was closed before
	}
}
