package local

import (
	"fmt"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// world is the state that the ranks of one run share.
type world struct {
	size  int
	lanes []lane // from rank s to rank d at s·size+d
	ranks []*comm

	collective  sync.Mutex             // guards collectives, comm.entered and the setting of comm.closed
	collectives [2]*collect.Collective // used in turn: ranks may enter the next while others read the result of the last

	down  chan struct{} // closed at the first failure
	once  sync.Once
	cause error // why; read after down

	delayer *delayer // nil if messages are delivered at once
	drop    func(from, to, tag, n int) bool
}

// New returns the communicators of n ranks, in rank order.
func New(n int, opts ...Option) []dist.Comm {
	if n < 1 {
		panic("local: a run has at least one rank")
	}
	w := &world{
		size:        n,
		lanes:       make([]lane, n*n),
		collectives: [2]*collect.Collective{collect.NewCollective(n), collect.NewCollective(n)},
		down:        make(chan struct{}),
	}
	comms := make([]dist.Comm, n)
	for r := range n {
		c := &comm{world: w, rank: r, wake: make(chan struct{}, 1)}
		w.ranks = append(w.ranks, c)
		comms[r] = c
	}
	for _, o := range opts {
		o(w)
	}
	return comms
}

// fail ends the run, and returns the cause: the first failure.
func (w *world) fail(cause error) error {
	w.once.Do(func() {
		w.cause = cause
		close(w.down)
	})
	return w.cause
}

// failure returns why the run has failed, or nil.
func (w *world) failure() error {
	select {
	case <-w.down:
		return w.cause
	default:
		return nil
	}
}

func (w *world) lane(source, dest int) *lane { return &w.lanes[source*w.size+dest] }

// Kill makes the rank of c, which New returned, die as if its process had been killed: all ranks' pending and later
// calls return a *dist.PeerError that names it and wraps dist.ErrPeerLost.
func Kill(c dist.Comm) {
	l, ok := c.(*comm)
	if !ok {
		panic("local: Kill needs a communicator of New")
	}
	_ = l.world.fail(&dist.PeerError{Rank: l.rank, Err: dist.ErrPeerLost})
}

// lane matches the sends and receives from one rank to another.
type lane struct {
	mu           sync.Mutex
	sends, recvs pending.Queue
	closed       [2]bool // the sender, the receiver
}

// send matches o with a receive or queues it.
func (l *lane) send(o *pending.Op) {
	l.mu.Lock()
	if l.closed[1] {
		l.mu.Unlock()
		o.Complete(&dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: %w", o, dist.ErrClosed)})
		return
	}
	r := l.recvs.Match(o.Tag)
	if r == nil {
		l.sends.Push(o)
	}
	l.mu.Unlock()
	if r != nil {
		transfer(o, r)
	}
}

// receive matches o with a send or queues it.
func (l *lane) receive(o *pending.Op) {
	l.mu.Lock()
	s := l.sends.Match(o.Tag)
	if s == nil && l.closed[0] {
		l.mu.Unlock()
		o.Complete(&dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: %w", o, dist.ErrClosed)})
		return
	}
	if s == nil {
		l.recvs.Push(o)
	}
	l.mu.Unlock()
	if s != nil {
		transfer(s, o)
	}
}

func transfer(s, r *pending.Op) {
	buf, err := r.Accept(len(s.Buf))
	copy(buf, s.Buf)
	s.Complete(nil)
	r.Complete(err)
}

// close ends the operations that wait for the side that leaves: 0 is the sender, 1 the receiver.
func (l *lane) close(side int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed[side] = true
	waiting := &l.recvs
	if side == 1 {
		waiting = &l.sends
	}
	for o := waiting.Pop(); o != nil; o = waiting.Pop() {
		o.Complete(&dist.PeerError{Rank: o.Peer, Err: fmt.Errorf("%v: %w", o, dist.ErrClosed)})
	}
}

// withdraw removes a pending operation, or waits for the end of its transfer.
func (l *lane) withdraw(o *pending.Op) {
	l.mu.Lock()
	found := l.sends.Remove(o) || l.recvs.Remove(o)
	l.mu.Unlock()
	if !found {
		o.Await()
	}
}
