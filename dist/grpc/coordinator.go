package grpc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/proto"
)

// protocol is raised when ranks of different builds could no longer understand each other.
const protocol = 1

// coordinator decides for all ranks: who takes part, what a collective gives, who is lost. It knows no network;
// attend.go and gather.go connect it. Its first verdict is final.
type coordinator struct {
	size    int
	host    int // the rank in whose process it lives, -1 for none
	epoch   uint64
	silence time.Duration

	mu      sync.Mutex
	members []*member // by rank, nil before its hello
	here    int       // how many members there are
	first   int       // the rank whose hello came first
	left    int
	verdict *proto.Verdict
	dead    bool // its process is going down: nothing that it sees now means anything
	rounds  [2]*collect.Round
	last    sync.WaitGroup

	guests   []*member     // all that have said hello, also those that were refused
	everyone chan struct{} // closed when there are as many as ranks
	over     chan struct{} // closed after a verdict, or when all have left
}

// member is what the coordinator knows of a rank.
type member struct {
	rank    int
	hello   *proto.Hello
	out     chan *proto.FromCoordinator // read by the goroutine that serves Attend
	heard   time.Time                   // the last sign of life
	entered int                         // collectives
	left    bool
	gone    chan struct{} // closed when its stream has ended

	answers sync.Mutex // one answer at a time
	reply   func(result []byte)
}

// outbox is how many messages may wait for a rank that does not read. Besides beats, which are left out then, that
// is a welcome, a farewell from each rank, and an end.
func outbox(size int) int { return size + 8 }

func newCoordinator(size, host int, silence time.Duration) *coordinator {
	return &coordinator{size: size, host: host, epoch: rand.Uint64(), silence: silence, members: make([]*member, size),
		rounds: [2]*collect.Round{collect.NewRound(size), collect.NewRound(size)}, over: make(chan struct{}),
		everyone: make(chan struct{})}
}

// join admits a rank, or refuses the run when it does not fit to those before it.
func (c *coordinator) join(h *proto.Hello) *member {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &member{rank: int(h.Rank), hello: h, out: make(chan *proto.FromCoordinator, outbox(c.size)), heard: time.Now(),
		gone: make(chan struct{})}
	if c.guests = append(c.guests, m); len(c.guests) == c.size {
		close(c.everyone)
	}
	if text := c.misfit(h); text != "" {
		c.decide(fault(h.Rank, text))
	}
	if c.verdict != nil {
		c.turnAway(m)
		return m
	}
	if c.here == 0 {
		c.first = m.rank
	}
	c.members[m.rank] = m
	if c.here++; c.here < c.size {
		return m
	}
	w := &proto.Welcome{Epoch: c.epoch}
	for _, m := range c.members {
		w.Addresses = append(w.Addresses, m.hello.Address)
	}
	for _, m := range c.members {
		m.out <- &proto.FromCoordinator{Kind: &proto.FromCoordinator_Welcome{Welcome: w}}
	}
	return m
}

// turnAway tells the verdict to a rank that does not take part; to the host, as always, when the others have heard it.
// The caller holds the lock.
func (c *coordinator) turnAway(m *member) {
	msg := end(c.verdict)
	if m.rank != c.host {
		m.out <- msg
		return
	}
	c.last.Go(func() {
		<-c.over
		m.out <- msg
	})
}

// misfit says why a rank cannot take part, or "".
func (c *coordinator) misfit(h *proto.Hello) string {
	switch {
	case h.Protocol != protocol:
		return fmt.Sprintf("speaks version %d of the protocol, the coordinator speaks %d: start the same program "+
			"everywhere", h.Protocol, protocol)
	case int(h.Size) != c.size:
		return fmt.Sprintf("was started for %d ranks, the coordinator for %d", h.Size, c.size)
	case int(h.Rank) >= c.size:
		return fmt.Sprintf("does not exist among %d ranks", c.size)
	case c.members[h.Rank] != nil:
		return fmt.Sprintf("was started twice: at %s and at %s", c.members[h.Rank].hello.Address, h.Address)
	}
	if err := checkPlain(h.Address); err != nil {
		return err.Error()
	}
	if c.here == 0 {
		return ""
	}
	o := c.members[c.first].hello
	switch {
	case h.BuildId != o.BuildId:
		return fmt.Sprintf("runs build %q, rank %d runs %q: start the same program everywhere", h.BuildId, o.Rank,
			o.BuildId)
	case h.CaseHash != o.CaseHash:
		return fmt.Sprintf("has case %q, rank %d has %q: give the same case file and options everywhere", h.CaseHash,
			o.Rank, o.CaseHash)
	}
	return ""
}

// missing returns the ranks that have not said hello.
func (c *coordinator) missing() []uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.here == c.size {
		return nil
	}
	var ranks []uint32
	for r, m := range c.members {
		if m == nil {
			ranks = append(ranks, uint32(r))
		}
	}
	return ranks
}

// alive notes a sign of life.
func (c *coordinator) alive(m *member) {
	c.mu.Lock()
	m.heard = time.Now()
	c.mu.Unlock()
}

// tell takes what a rank says on its control stream.
func (c *coordinator) tell(m *member, msg *proto.FromRank) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.heard = time.Now()
	rank := uint32(m.rank)
	switch k := msg.Kind.(type) {
	case *proto.FromRank_Abort:
		c.decide(&proto.Verdict{Kind: proto.Verdict_ABORTED, Rank: rank, Code: k.Abort.Code, Text: k.Abort.Cause,
			WaitingFor: -1})
	case *proto.FromRank_GiveUp:
		v := fault(rank, "gave up: "+k.GiveUp.Text)
		if m.entered > 0 {
			v.WaitingFor = int32(c.rounds[(m.entered-1)&1].Missing())
		}
		c.decide(v)
	case *proto.FromRank_Fault:
		if int(k.Fault.Rank) < c.size {
			c.decide(fault(k.Fault.Rank, k.Fault.Text))
		}
	case *proto.FromRank_Leave:
		c.leave(m, k.Leave.Sent)
	}
}

// leave lets a rank go. Those that it has sent frames to hear how many.
func (c *coordinator) leave(m *member, sent []uint64) {
	if m.left || c.verdict != nil || c.here < c.size || len(sent) != c.size {
		return
	}
	m.left = true
	c.left++
	for _, o := range c.members {
		if o.entered > m.entered {
			c.decide(fault(uint32(m.rank), "has left the run while a collective waits for it"))
			return
		}
		if o != m && !o.left {
			o.out <- &proto.FromCoordinator{Kind: &proto.FromCoordinator_Left{
				Left: &proto.Left{Rank: uint32(m.rank), Sent: sent[o.rank]}}}
		}
	}
	if c.left == c.size {
		c.finish(&proto.FromCoordinator{Kind: &proto.FromCoordinator_Farewell{Farewell: &proto.Farewell{}}})
	}
}

// ended takes the end of a rank's control stream: its death, unless it has left or everything is over.
func (c *coordinator) ended(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(m.gone)
	if !m.left && m == c.member(m.rank) {
		c.decide(lost(m.rank, "its connection broke"))
	}
}

// member returns the rank's member, nil when there is none. The caller holds the lock.
func (c *coordinator) member(rank int) *member {
	if rank < 0 || rank >= c.size {
		return nil
	}
	return c.members[rank]
}

// watch declares ranks lost that gave no sign of life. It returns when the run is over or stop is closed.
func (c *coordinator) watch(stop <-chan struct{}) {
	period := c.silence / 12
	tick := time.NewTicker(period)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-stop:
			return
		case <-c.over:
			return
		case now := <-tick.C:
			c.mu.Lock()
			// Whoever was stopped together with the others must not blame them for it.
			stopped := now.Sub(last) > 4*period
			for _, m := range c.members {
				if m == nil || m.left {
					continue
				}
				if stopped {
					m.heard = now
				} else if now.Sub(m.heard) > c.silence {
					c.decide(lost(m.rank, fmt.Sprintf("no sign of life for %v", c.silence)))
				}
			}
			c.mu.Unlock()
			last = now
		}
	}
}

// decide ends the run with the first verdict. The caller holds the lock.
func (c *coordinator) decide(v *proto.Verdict) {
	if c.verdict == nil && c.left < c.size && !c.dead {
		c.verdict = v
		c.finish(end(v))
	}
}

// patience is how long the host's rank waits for the others to have heard the end of the run.
const patience = 300 * time.Millisecond

// finish tells all ranks the last thing they hear: the host's only when the others have heard it, since its process
// may exit on hearing it. The caller holds the lock.
func (c *coordinator) finish(msg *proto.FromCoordinator) {
	var host *member
	for _, m := range c.members {
		if m != nil && m.rank == c.host {
			host = m
		} else if m != nil {
			m.out <- msg
		}
	}
	c.last.Go(func() {
		c.hearOut()
		if host != nil {
			host.out <- msg
		}
		close(c.over)
	})
}

// hearOut waits for a short time until every rank has said hello and heard the end.
func (c *coordinator) hearOut() {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-c.everyone:
	case <-timeout.C:
		return
	}
	c.mu.Lock()
	guests := slices.Clone(c.guests)
	c.mu.Unlock()
	for _, m := range guests {
		if m.rank == c.host {
			continue
		}
		select {
		case <-m.gone:
		case <-timeout.C:
			return
		}
	}
}

func end(v *proto.Verdict) *proto.FromCoordinator {
	return &proto.FromCoordinator{Kind: &proto.FromCoordinator_Verdict{Verdict: v}}
}

func fault(rank uint32, text string) *proto.Verdict {
	return &proto.Verdict{Kind: proto.Verdict_FAULT, Rank: rank, Text: text, WaitingFor: -1}
}

func lost(rank int, text string) *proto.Verdict {
	return &proto.Verdict{Kind: proto.Verdict_LOST, Rank: uint32(rank), Text: text, WaitingFor: -1}
}
