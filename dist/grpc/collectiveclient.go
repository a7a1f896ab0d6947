package grpc

import (
	"context"
	"fmt"

	rpc "google.golang.org/grpc"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/proto"
)

// collectiveClient is a rank's side of collectives: its stream to the coordinator, or the coordinator itself if it
// runs in the same process.
type collectiveClient struct {
	state  *rankState // of the hosted coordinator
	stream stream
	frame  frame
	sent   uint64 // frames

	result []byte        // of the current collective; read it after wake
	wake   chan struct{} // signals that result is set
}

// inlineBytes is the size up to which a send on an idle stream does not block.
const inlineBytes = 32 << 10

func (g *collectiveClient) open(c *comm) error {
	g.wake = make(chan struct{}, 1)
	if c.hosted != nil {
		c.hosted.mu.Lock()
		g.state = c.hosted.ranks[c.cfg.Rank]
		c.hosted.mu.Unlock()
		g.state.replyLock.Lock()
		g.state.reply = g.deliver
		g.state.replyLock.Unlock()
		return nil
	}
	s, err := c.control.conn.NewStream(withIdentity(c.streams, c.cfg.Rank, c.session), &collectDesc, collectMethod,
		rpc.CallContentSubtype(codecName))
	if err == nil {
		err = awaitAccepted(s)
	}
	if err != nil {
		select {
		case <-c.down: // the run has failed already, which has ended the stream
			return fmt.Errorf("dist/grpc: join: %w", c.cause)
		default:
		}
		return &dist.PeerError{Rank: c.coordinatorRank(), Err: err}
	}
	g.stream = s
	c.tasks.Go(func() { g.read(c, s) })
	return nil
}

func (g *collectiveClient) deliver(result []byte) {
	g.result = result
	g.wake <- struct{}{}
}

// read receives the results. A result stays valid until the rank has entered the next collective.
func (g *collectiveClient) read(c *comm, s stream) {
	// A gather is the longest result: of each rank a length of 8 bytes and a part.
	in := assembler{session: c.session, first: answer, limit: uint64(c.cfg.Size) * uint64(c.cfg.CollectiveLimit+8)}
	a := arrival{sink: &in}
	for s.RecvMsg(&a) == nil {
		c.control.life.Beat()
		if in.complete {
			in.complete = false
			g.deliver(in.buf)
		}
	}
	if a.err != nil {
		c.fail(&dist.PeerError{Rank: c.coordinatorRank(), Err: a.err})
	}
}

// enter sends data into the next collective and returns its result, which is valid until the collective after it.
func (c *comm) enter(ctx context.Context, what collect.Call, data []byte) ([]byte, error) {
	if err := c.check(ctx, c.cfg.Rank, 0); err != nil {
		return nil, err
	}
	if err := what.Check(c.cfg.Size); err != nil {
		return nil, err
	}
	if len(data) > c.cfg.CollectiveLimit {
		return nil, fmt.Errorf("dist/grpc: %d bytes in a collective, want at most %d: use messages for more", len(data),
			c.cfg.CollectiveLimit)
	}
	g := &c.collectives
	var busy chan struct{} // closed when data are no longer in use; nil: they are not in use
	if c.hosted != nil {
		complete, err := c.hosted.enter(g.state, what, data)
		if err == nil && complete != nil {
			if isShort(what) {
				c.hosted.sendResult(what, complete)
			} else {
				c.tasks.Go(func() { c.hosted.sendResult(what, complete) })
			}
		}
	} else if len(data) <= inlineBytes {
		g.send(c.session, what, data)
	} else {
		busy = make(chan struct{})
		c.tasks.Go(func() {
			defer close(busy)
			g.send(c.session, what, data)
		})
	}
	var failed error
	select {
	case <-g.wake:
	case <-c.down:
		failed = c.cause
	case <-ctx.Done():
		failed = c.giveUp(ctx, what)
	}
	if busy != nil {
		<-busy // does not block long: the data have arrived, or the failure has ended the stream
	}
	if failed != nil {
		return nil, failed // result must not be read: an answer may still arrive
	}
	return g.result, nil
}

// isShort reports whether sending the results of a call does not block.
func isShort(what collect.Call) bool {
	return what.Kind != collect.Gather && what.Kind != collect.Allgather && what.Len <= inlineBytes
}

func (g *collectiveClient) send(session uint64, what collect.Call, data []byte) {
	g.frame.header = header{kind: call, call: what.Kind, op: what.Op, root: uint32(what.Root), session: session,
		tag: uint64(what.Len)}
	// An error is ignored here: the stream has ended, which the control stream reports.
	_ = sendLong(g.stream, &g.frame, &g.sent, data)
}

// giveUp ends the run when the context of a collective ends: the other ranks would wait for this one in later
// collectives. The error names a rank that has not entered the collective, if the coordinator knows one.
func (c *comm) giveUp(ctx context.Context, what collect.Call) error {
	why := context.Cause(ctx)
	text := fmt.Sprintf("%v: %v", what, why)
	c.report(&proto.FromRank{Kind: &proto.FromRank_GiveUp{GiveUp: &proto.GiveUp{Text: truncated(text)}}},
		&dist.PeerError{Rank: c.coordinatorRank(), Err: fmt.Errorf("%v: %w", what, why)})
	<-c.down
	if v := c.control.verdict.Load(); v != nil && v.WaitingFor >= 0 && int(v.Rank) == c.cfg.Rank {
		return &dist.PeerError{Rank: int(v.WaitingFor), Err: fmt.Errorf("has not called %v: %w", what, why)}
	}
	return c.cause
}
