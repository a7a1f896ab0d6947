package grpc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	rpc "google.golang.org/grpc"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
	"github.com/atoll-hpc/atoll/proto"
)

// ErrRefused is wrapped by the error of a rank that the coordinator does not admit to the run.
var ErrRefused = errors.New("refused by the coordinator")

// comm is the dist.Comm of one rank.
type comm struct {
	cfg     Config
	refused *refusals
	session uint64
	peers   *peers
	table   pending.Table
	tree    *collect.Tree
	links   links
	watch   *treeWatch
	entered atomic.Uint64 // number of collectives that this rank has entered

	hosted  *coordinator   // nil unless this process hosts it
	control *controlClient // to the coordinator
	server  *rpc.Server

	ready  chan struct{} // closed when session and peers are set
	closed atomic.Bool

	// The context of all gRPC streams to peers. The first failure cancels it, so that no stream blocks.
	streams       context.Context
	cancelStreams context.CancelFunc

	once     sync.Once
	down     chan struct{} // closed at the first failure
	cause    error         // why; read after down
	failedAt time.Time     // when; read after down
	stop     chan struct{} // closed to end all goroutines
	tasks    sync.WaitGroup
}

func (c *comm) Rank() int { return c.cfg.Rank }
func (c *comm) Size() int { return c.cfg.Size }

// fail ends the run for this rank.
func (c *comm) fail(cause error) {
	c.once.Do(func() {
		c.cause, c.failedAt = cause, time.Now()
		close(c.down)
		c.cancelStreams()
	})
}

// Cause returns the error that ended the run. It is for use after down is closed.
func (c *comm) Cause() error { return c.cause }

func (c *comm) check(ctx context.Context, peer, tag int) error {
	if c.closed.Load() {
		return &dist.PeerError{Rank: c.cfg.Rank, Err: dist.ErrClosed}
	}
	select {
	case <-c.down:
		return c.cause
	default:
	}
	if tag >= collectiveTag {
		return fmt.Errorf("dist/grpc: tag %d: want one below %d", tag, collectiveTag)
	}
	return pending.Check(ctx, c.cfg.Size, peer, tag)
}

func (c *comm) Isend(ctx context.Context, dest, tag int, buf []byte) (dist.Request, error) {
	if err := c.check(ctx, dest, tag); err != nil {
		return 0, err
	}
	return c.send(dest, tag, buf), nil
}

func (c *comm) send(dest, tag int, buf []byte) dist.Request {
	o, req := c.table.Post(pending.Message{Send: true, Peer: dest, Tag: tag, Buf: buf})
	if p := c.peers.of(dest); dest == c.cfg.Rank {
		p.sendToSelf(o)
	} else {
		p.send(o)
	}
	return req
}

func (c *comm) Irecv(ctx context.Context, source, tag int, buf []byte) (dist.Request, error) {
	if err := c.check(ctx, source, tag); err != nil {
		return 0, err
	}
	return c.receive(pending.Message{Peer: source, Tag: tag, Buf: buf}), nil
}

func (c *comm) IrecvUpTo(ctx context.Context, source, tag int, buf []byte, length *int) (dist.Request, error) {
	if length == nil {
		return 0, pending.ErrLength
	}
	if err := c.check(ctx, source, tag); err != nil {
		return 0, err
	}
	return c.receive(pending.Message{Peer: source, Tag: tag, Buf: buf, Length: length}), nil
}

func (c *comm) receive(m pending.Message) dist.Request {
	o, req := c.table.Post(m)
	c.peers.of(m.Peer).receive(o)
	return req
}

func (c *comm) Wait(ctx context.Context, reqs []dist.Request) error {
	return c.table.Wait(ctx, reqs, c.down, c)
}

// Withdraw cancels an operation that is not complete, and reports whether it may be reused: not if gRPC may still read
// the memory of a send.
func (c *comm) Withdraw(o *pending.Op) bool {
	if o.Send {
		return c.peers.of(o.Peer).withdrawSend(o)
	}
	c.peers.of(o.Peer).withdrawReceive(o)
	return true
}

// Abort ends the run on all ranks. It returns when the coordinator has notified them, or cannot be reached.
func (c *comm) Abort(code int, cause error) {
	text := truncated(fmt.Sprint(cause))
	c.report(&proto.FromRank{Kind: &proto.FromRank_Abort{Abort: &proto.Abort{Code: int64(code), Cause: text}}},
		&dist.AbortError{Rank: c.cfg.Rank, Code: code, Cause: text})
}

// reportFault ends the run because a peer broke the protocol.
func (c *comm) reportFault(peer int, err error) {
	fault := &proto.Fault{Rank: uint32(peer), Text: truncated(err.Error())}
	c.report(&proto.FromRank{Kind: &proto.FromRank_Fault{Fault: fault}}, &dist.PeerError{Rank: peer, Err: err})
}

// verdictTimeout is how long a rank that detects a failure waits for the coordinator's verdict, which names the
// rank that failed first, before it ends the run with its own error.
const verdictTimeout = time.Second

// report asks the coordinator to end the run. Without an answer it ends the run on this rank with the error fallback.
func (c *comm) report(msg *proto.FromRank, fallback error) {
	c.control.send(msg)
	timeout := time.NewTimer(verdictTimeout)
	defer timeout.Stop()
	select {
	case <-c.down:
	case <-c.stop:
	case <-timeout.C:
		c.fail(fallback)
	}
}

// peerLost ends the run because the stream to a peer has broken, unless the peer has called Close, or the coordinator
// gives another cause in time.
func (c *comm) peerLost(p *peer, why error) {
	c.tasks.Go(func() {
		timeout := time.NewTimer(verdictTimeout)
		defer timeout.Stop()
		select {
		case <-c.down:
		case <-c.stop:
		case <-timeout.C:
			if !p.hasLeft() {
				c.fail(&dist.PeerError{Rank: p.rank, Err: fmt.Errorf("%w: %w", dist.ErrPeerLost, why)})
			}
		}
	})
}

// Close waits until all ranks have called it, or until none has for CloseTimeout: this process may host the
// coordinator, which ranks that still run need. After a failure it does not wait.
func (c *comm) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	err := c.leave()
	c.shutdown()
	return err
}

func (c *comm) leave() error {
	// A context instead of a timer: several waits share the timeout, and the channel of a timer delivers only once.
	timeout, stop := context.WithTimeout(context.Background(), c.cfg.CloseTimeout)
	defer stop()
	leave := &proto.Leave{Entered: c.entered.Load()}
	c.peers.each(func(p *peer) bool {
		sent, drained := p.drain(c.down, timeout.Done())
		if sent > 0 {
			leave.To, leave.Sent = append(leave.To, uint32(p.rank)), append(leave.Sent, sent)
		}
		return drained // false: the run has failed, or the timeout has passed because the receiver does not read
	})
	c.control.send(&proto.FromRank{Kind: &proto.FromRank_Leave{Leave: leave}})
	if awaitFarewell(c, timeout.Done()) || c.hosted == nil {
		return nil
	}
	for left := 0; ; {
		now := c.hosted.leavers()
		if now == left {
			break
		}
		left = now
		if awaitFarewell(c, time.After(c.cfg.CloseTimeout)) {
			return nil
		}
	}
	text := fmt.Sprintf("has left the run after waiting %v for the others", c.cfg.CloseTimeout)
	c.hosted.recordFault(c.cfg.Rank, errors.New(text))
	<-c.hosted.over
	return fmt.Errorf("dist/grpc: ranks were still running %v after rank %d had called Close, and none had left for so "+
		"long", c.cfg.CloseTimeout, c.cfg.Rank)
}

// awaitFarewell waits until all ranks have left, or the run has failed: the interrupted calls have returned the
// failure. It returns false after the timeout.
func awaitFarewell[T any](c *comm, timeout <-chan T) bool {
	select {
	case <-c.control.farewell:
		return true
	case <-c.down:
		return true
	case <-timeout:
		return false
	}
}

// shutdown stops everything at once. The other ranks cannot distinguish it from the death of the process.
func (c *comm) shutdown() {
	if c.hosted != nil {
		c.hosted.mu.Lock()
		c.hosted.stopping = true
		c.hosted.mu.Unlock()
	}
	close(c.stop)
	c.cancelStreams()
	c.server.Stop()
	if c.control != nil {
		c.control.close()
	}
	if c.peers != nil {
		c.peers.each(func(p *peer) bool {
			p.close()
			return true
		})
	}
	c.tasks.Wait()
	c.refused.summarize()
	if c.hosted != nil {
		c.hosted.tasks.Wait()
	}
}
