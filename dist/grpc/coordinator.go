package grpc

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/dist/internal/life"
	"github.com/atoll-hpc/atoll/proto"
)

// coordinator decides for all ranks: which are admitted, what the result of a collective is, and which rank is
// lost. It does not use the network; control.go connects it to streams. Its first verdict is final.
type coordinator struct {
	size    int
	host    int // the rank in whose process it runs, -1 for none
	session uint64
	silence time.Duration
	clock   *life.Clock
	job     jobIdentity
	check   func(address string) error // returns an error for addresses that are invalid, or need TLS
	refused *refusals

	mu          sync.Mutex
	ranks       []*rankState // by rank, nil before its hello
	joined      int          // number of ranks that have joined
	leftCount   int
	verdict     *proto.Verdict
	stopping    bool                   // its process shuts down: events no longer count as failures
	collectives [2]*collect.Collective // used alternately: ranks may enter one while others still read the last
	tasks       sync.WaitGroup         // goroutines that outlive the handlers that start them

	allJoined chan struct{} // closed when all ranks have sent their hello
	over      chan struct{} // closed after a verdict, or when all have left
}

// member is the coordinator's state of a rank.
type rankState struct {
	rank    int
	hello   *proto.Hello
	out     chan *proto.FromCoordinator // read by the goroutine that serves Attend
	life    *life.Pulse
	entered int // number of collectives entered
	left    bool
	gone    chan struct{} // closed when its stream has ended

	replyLock sync.Mutex // one result at a time
	reply     func(result []byte)
}

// outboxCapacity returns the capacity of the queue of messages to a rank, enough for all that can be queued for a
// rank that does not read: a welcome, a Left message from each rank, and an end. Heartbeats are not queued.
func outboxCapacity(size int) int { return size + 8 }

func newCoordinator(cfg Config, host int, refused *refusals) *coordinator {
	by := "the coordinator"
	if host >= 0 {
		by = fmt.Sprintf("rank %d", host)
	}
	n := cfg.Size
	return &coordinator{size: n, host: host, session: newSession(), silence: cfg.Silence,
		clock: life.NewClock(life.CheckInterval(cfg.Silence)), job: jobOf(cfg, by),
		check: cfg.check, refused: refused, ranks: make([]*rankState, n),
		collectives: [2]*collect.Collective{collect.NewCollective(n), collect.NewCollective(n)}, over: make(chan struct{}),
		allJoined: make(chan struct{})}
}

// newSession returns a random number that a client must know to send frames.
func newSession() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

// refusal is why a rank was not admitted to the run.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// join admits the rank that sent the hello h; ctx is the context of its stream. If the rank does not match the run,
// join returns a *refusal, and the run continues.
func (c *coordinator) join(ctx context.Context, h *proto.Hello) (*rankState, error) {
	name, err := certifiedRank(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	why, text := c.refusalReason(h, name)
	if err != nil {
		why, text = wrongName, err.Error()
	}
	if text != "" {
		from := fmt.Sprintf("rank %d", h.Rank)
		if v := guardedConnOf(ctx); v != nil {
			from += " from " + v.Origin()
		}
		c.refused.add(why, from, text)
		return nil, &refusal{text}
	}
	if err := trustConnection(ctx); err != nil {
		return nil, err
	}
	state := &rankState{rank: int(h.Rank), hello: h, out: make(chan *proto.FromCoordinator, outboxCapacity(c.size)),
		life: life.NewPulse(c.clock), gone: make(chan struct{})}
	c.ranks[state.rank] = state
	if c.job.build == "" && c.job.hash == "" {
		c.job.build, c.job.hash, c.job.setBy = h.BuildId, h.CaseHash, fmt.Sprintf("rank %d", state.rank)
	}
	if c.joined++; c.joined == c.size {
		close(c.allJoined)
	}
	if c.verdict != nil {
		c.sendVerdict(state)
		return state, nil
	}
	if c.joined < c.size {
		return state, nil
	}
	w := &proto.Welcome{Session: c.session}
	for _, state := range c.ranks {
		w.Addresses = append(w.Addresses, state.hello.Address)
	}
	for _, state := range c.ranks {
		state.out <- &proto.FromCoordinator{Kind: &proto.FromCoordinator_Welcome{Welcome: w}}
	}
	return state, nil
}

// sendVerdict sends the verdict to a rank that joins after it; to the host only when the others have received it.
// The caller holds the lock.
func (c *coordinator) sendVerdict(state *rankState) {
	msg := verdictMessage(c.verdict)
	if state.rank != c.host {
		state.out <- msg
		return
	}
	c.tasks.Go(func() {
		<-c.over
		state.out <- msg
	})
}

// beat returns a heartbeat. Before all ranks have sent their hello, it lists the missing ones.
func (c *coordinator) beat() *proto.Beat {
	const maxListed = 16
	b := new(proto.Beat)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.joined == c.size {
		return b
	}
	b.Absent = uint32(c.size - c.joined)
	for r, state := range c.ranks {
		if state == nil {
			if b.Missing = append(b.Missing, uint32(r)); len(b.Missing) == maxListed {
				break
			}
		}
	}
	b.Refused = c.refused.recentLines()
	return b
}

// handle handles a message of a rank's control stream.
func (c *coordinator) handle(state *rankState, msg *proto.FromRank) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state.life.Beat()
	rank := uint32(state.rank)
	switch k := msg.Kind.(type) {
	case *proto.FromRank_Abort:
		c.decide(&proto.Verdict{Kind: proto.Verdict_ABORTED, Rank: rank, Code: k.Abort.Code, Text: k.Abort.Cause,
			WaitingFor: -1})
	case *proto.FromRank_GiveUp:
		v := faultVerdict(rank, "gave up: "+k.GiveUp.Text)
		if state.entered > 0 {
			v.WaitingFor = int32(c.collectives[(state.entered-1)&1].Missing())
		}
		c.decide(v)
	case *proto.FromRank_Fault:
		if int(k.Fault.Rank) < c.size {
			c.decide(faultVerdict(k.Fault.Rank, k.Fault.Text))
		}
	case *proto.FromRank_Leave:
		c.leave(state, k.Leave.Sent)
	}
}

// leave handles the Leave of a rank. Each other rank is sent the number of frames that the leaving rank has sent to
// it.
func (c *coordinator) leave(state *rankState, sent []uint64) {
	if state.left || c.verdict != nil || c.joined < c.size || len(sent) != c.size {
		return
	}
	state.left = true
	c.leftCount++
	for _, o := range c.ranks {
		if o.entered > state.entered {
			c.decide(faultVerdict(uint32(state.rank), "has left the run while a collective waits for it"))
			return
		}
		if o != state && !o.left {
			o.out <- &proto.FromCoordinator{Kind: &proto.FromCoordinator_Left{
				Left: &proto.Left{Rank: uint32(state.rank), Sent: sent[o.rank]}}}
		}
	}
	if c.leftCount == c.size {
		c.finish(&proto.FromCoordinator{Kind: &proto.FromCoordinator_Farewell{Farewell: &proto.Farewell{}}})
	}
}

// streamEnded handles the end of a rank's control stream: its death, unless it has left or the run is over.
func (c *coordinator) streamEnded(state *rankState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(state.gone)
	if !state.left {
		c.decide(lostVerdict(state.rank, "its connection broke"))
	}
}

// watch declares ranks lost that sent nothing for c.silence. It returns when the run is over or stop is closed.
func (c *coordinator) watch(stop <-chan struct{}) {
	tick := time.NewTicker(life.CheckInterval(c.silence))
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-c.over:
			return
		case <-tick.C:
			c.clock.Tick()
			c.mu.Lock()
			for _, state := range c.ranks {
				if state != nil && !state.left && state.life.Silent(c.silence) {
					c.decide(lostVerdict(state.rank, fmt.Sprintf("no heartbeat for %v", c.silence)))
				}
			}
			c.mu.Unlock()
		}
	}
}

// decide ends the run with the first verdict. The caller holds the lock.
func (c *coordinator) decide(v *proto.Verdict) {
	if c.verdict == nil && c.leftCount < c.size && !c.stopping {
		v.Text = truncated(v.Text)
		c.verdict = v
		c.finish(verdictMessage(v))
	}
}

// hostDelay bounds how long the rank that hosts the coordinator waits for the others to receive the end of the run.
const hostDelay = 300 * time.Millisecond

// finish sends the last message to all ranks: to the host only when the others have received it, since the host's
// process may exit then. The caller holds the lock.
func (c *coordinator) finish(msg *proto.FromCoordinator) {
	var host *rankState
	for _, state := range c.ranks {
		if state != nil && state.rank == c.host {
			host = state
		} else if state != nil {
			state.out <- msg
		}
	}
	c.tasks.Go(func() {
		c.awaitAllClosed()
		if host != nil {
			host.out <- msg
		}
		close(c.over)
	})
}

// awaitAllClosed waits, up to hostDelay, until every rank has joined and received the last message.
func (c *coordinator) awaitAllClosed() {
	timeout := time.NewTimer(hostDelay)
	defer timeout.Stop()
	select {
	case <-c.allJoined:
	case <-timeout.C:
		return
	}
	c.mu.Lock()
	states, lostRank := slices.Clone(c.ranks), -1
	if c.verdict != nil && c.verdict.Kind == proto.Verdict_LOST {
		lostRank = int(c.verdict.Rank) // a lost rank does not confirm
	}
	c.mu.Unlock()
	for _, state := range states {
		if state.rank == c.host || state.rank == lostRank {
			continue
		}
		select {
		case <-state.gone:
		case <-timeout.C:
			return
		}
	}
}

// truncated returns the text with a bounded length and valid UTF-8, to fit into a message.
func truncated(text string) string {
	const maxBytes = 16 << 10
	if len(text) > maxBytes {
		text = text[:maxBytes] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func verdictMessage(v *proto.Verdict) *proto.FromCoordinator {
	return &proto.FromCoordinator{Kind: &proto.FromCoordinator_Verdict{Verdict: v}}
}

func faultVerdict(rank uint32, text string) *proto.Verdict {
	return &proto.Verdict{Kind: proto.Verdict_FAULT, Rank: rank, Text: text, WaitingFor: -1}
}

func lostVerdict(rank int, text string) *proto.Verdict {
	return &proto.Verdict{Kind: proto.Verdict_LOST, Rank: uint32(rank), Text: text, WaitingFor: -1}
}
