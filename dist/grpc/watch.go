package grpc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/atoll-hpc/atoll/dist/internal/life"
	"github.com/atoll-hpc/atoll/proto"
)

// Ranks next to each other in the tree of collectives send each other heartbeats, so that none has many to send: on a
// machine with many processes, each runs rarely. A stream of them, which the child opens, carries
//
//	up    protobuf: heartbeats
//	down  protobuf: heartbeats, and the verdict of a rank that has failed, if the coordinator may not have one
//
// If the coordinator is not in the process of a rank, it exchanges heartbeats with all ranks instead.
const watchMethod = "/atoll.v1.Neighbour/Watch"

var watchDesc = rpc.StreamDesc{StreamName: "Watch", ServerStreams: true, ClientStreams: true,
	Handler: func(srv any, s rpc.ServerStream) error { return srv.(*comm).watch.serve(s) }}

// treeWatch is the heartbeats between a rank and those next to it in the tree.
type treeWatch struct {
	c          *comm
	neighbours []*watched

	once  sync.Once
	given chan struct{}  // closed when the children are to know of a loss
	loss  *proto.Verdict // read after given
}

// watched is a rank next to this one in the tree.
type watched struct {
	rank     int
	life     *life.Pulse
	gone     atomic.Bool   // its stream has ended: the coordinator knows why
	reported atomic.Bool   // its silence
	serving  atomic.Bool   // of a child: its stream is served
	passed   chan struct{} // closed when that has ended
}

// prepare prepares for heartbeats along the tree.
func (t *treeWatch) prepare() {
	c := t.c
	if c.cfg.External {
		return
	}
	ranks := c.tree.Children()
	if parent, exists := c.tree.Parent(); exists {
		ranks = append([]int{parent}, ranks...)
	}
	for _, rank := range ranks {
		w := &watched{rank: rank, life: life.NewPulse(c.control.clock), passed: make(chan struct{})}
		t.neighbours = append(t.neighbours, w)
		c.peers.of(rank).life = w.life
	}
}

// heardAll begins to count the silence of the neighbours in the tree.
func (t *treeWatch) heardAll() {
	for _, w := range t.neighbours {
		w.life.Beat()
	}
}

// of returns a rank next to this one in the tree, nil for other ranks.
func (t *treeWatch) of(rank int) *watched {
	for _, w := range t.neighbours {
		if w.rank == rank {
			return w
		}
	}
	return nil
}

// openParent opens the stream of heartbeats to the parent.
func (t *treeWatch) openParent() error {
	c := t.c
	parent, exists := c.tree.Parent()
	if !exists || c.cfg.External {
		return nil
	}
	p, w := c.peers.of(parent), t.of(parent)
	s, err := p.openStream(&watchDesc, watchMethod, new(proto.FromCoordinator))
	if err != nil {
		return err
	}
	w.life.Beat()
	c.tasks.Go(func() {
		tick := time.NewTicker(c.cfg.Beat)
		defer tick.Stop()
		for s.SendMsg(new(proto.Beat)) == nil {
			select {
			case <-tick.C:
			case <-s.Context().Done():
				return
			}
		}
	})
	c.tasks.Go(func() {
		msg := new(proto.FromCoordinator)
		for ; s.RecvMsg(msg) == nil; msg = new(proto.FromCoordinator) {
			w.life.Beat()
			if v := msg.GetVerdict(); v != nil {
				t.failAfterChildren(v)
				return
			}
		}
		t.ended(w)
	})
	return nil
}

// serve serves the stream of heartbeats that a child has opened.
func (t *treeWatch) serve(s rpc.ServerStream) error {
	c := t.c
	p, err := c.accept(s)
	if err != nil {
		return err
	}
	w := t.of(p.rank)
	if parent, _ := c.tree.Parent(); w == nil || p.rank == parent || w.serving.Swap(true) {
		return status.Errorf(codes.InvalidArgument, "rank %d opens a stream of heartbeats that it must not", p.rank)
	}
	defer close(w.passed)
	if err := s.SendHeader(nil); err != nil { // confirms that the stream is accepted
		return err
	}
	ended := make(chan struct{})
	c.tasks.Go(func() {
		defer close(ended)
		for s.RecvMsg(new(proto.Beat)) == nil {
			w.life.Beat()
		}
	})
	tick := time.NewTicker(c.cfg.Beat)
	defer tick.Stop()
	beat := &proto.FromCoordinator{Kind: &proto.FromCoordinator_Beat{Beat: new(proto.Beat)}}
	for {
		if err := s.SendMsg(beat); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ended:
			t.ended(w)
			return nil
		case <-t.given:
			if s.SendMsg(verdictMessage(t.loss)) == nil {
				select {
				case <-ended:
				case <-time.After(hostDelay):
				}
			}
			return nil
		case <-c.down:
			return nil
		case <-c.stop:
			return nil
		}
	}
}

// failAfterChildren ends the run for this rank because another was lost, and the coordinator may be in the process of
// that. The children are told first: when this rank ends, they would take it for the one that was lost.
func (t *treeWatch) failAfterChildren(v *proto.Verdict) {
	c := t.c
	t.once.Do(func() {
		t.loss = v
		close(t.given)
	})
	limit, stop := context.WithTimeout(context.Background(), hostDelay)
	defer stop()
	for _, w := range t.neighbours {
		if w.serving.Load() {
			select {
			case <-w.passed:
			case <-limit.Done():
			}
		}
	}
	c.fail(verdictError(v))
}

// ended handles the end of a stream of heartbeats.
func (t *treeWatch) ended(w *watched) {
	c := t.c
	w.gone.Store(true)
	select {
	case <-c.stop:
	case <-c.down:
	default:
		if !c.closed.Load() {
			c.peerLost(c.peers.of(w.rank), errors.New("its connection broke"))
		}
	}
}

// check reports neighbours in the tree that are silent.
func (t *treeWatch) check() {
	c := t.c
	for _, w := range t.neighbours {
		if w.gone.Load() || !w.life.Silent(c.cfg.Silence) || c.peers.of(w.rank).hasLeft() || w.reported.Swap(true) {
			continue
		}
		c.tasks.Go(func() {
			msg := c.control.beat()
			msg.GetBeat().Missing = []uint32{uint32(w.rank)}
			c.control.send(msg)
			if c.closed.Load() { // this rank has left, and w may have: the coordinator knows
				return
			}
			select {
			case <-c.down:
			case <-c.stop:
			case <-time.After(verdictTimeout):
				t.failAfterChildren(lostVerdict(w.rank, fmt.Sprintf("no heartbeat for %v", c.cfg.Silence)))
			}
		})
	}
}
