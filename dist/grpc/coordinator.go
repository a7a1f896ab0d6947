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

	"github.com/atoll-hpc/atoll/dist/internal/life"
	"github.com/atoll-hpc/atoll/proto"
)

// coordinator decides for all ranks: which are admitted, which is lost, and when all have left. It does not use the
// network; control.go connects it to streams. Its first verdict is final.
type coordinator struct {
	size    int
	host    int // the rank in whose process it runs, -1 for none
	session uint64
	cfg     *Config
	clock   *life.Clock
	job     jobIdentity
	refused *refusals

	mu       sync.Mutex
	ranks    []*rankState // by rank, nil before its hello
	joined   int          // number of ranks that have joined
	ready    int          // number of ranks that are linked: have received the welcome and are connected to their parent
	left     []leaver     // in the order in which they have left
	verdict  *proto.Verdict
	asked    *question
	stopping bool           // its process shuts down: events no longer count as failures
	tasks    sync.WaitGroup // goroutines that outlive the handlers that start them

	allJoined chan struct{} // closed when all ranks have sent their hello
	allReady  chan struct{} // closed when all ranks are linked
	over      chan struct{} // closed after a verdict, or when all have left
}

// rankState is the coordinator's state of a rank.
type rankState struct {
	rank    int
	address string
	out     chan *proto.FromCoordinator // read by the goroutine that serves Attend
	life    *life.Pulse
	ready   bool   // it is linked
	entered uint64 // number of collectives entered, in its last message
	told    int    // number of ranks that have left of which it was told
	left    bool
	gone    chan struct{} // closed when its stream has ended
}

// outboxCapacity is the capacity of the queue of messages to a rank, enough for all that can be queued for a rank that
// does not read: a welcome, a question, and an end. Heartbeats are not queued.
const outboxCapacity = 4

// leaver is a rank that has left, with the number of frames that it has sent to each rank to which it has sent any.
type leaver struct {
	rank uint32
	to   []uint32 // ascending
	sent []uint64
}

func newCoordinator(cfg Config, host int, refused *refusals) *coordinator {
	by := "the coordinator"
	if host >= 0 {
		by = fmt.Sprintf("rank %d", host)
	}
	n := cfg.Size
	return &coordinator{size: n, host: host, session: newSession(), cfg: &cfg,
		clock: life.NewClock(cfg.checkInterval()), job: jobOf(cfg, by), refused: refused,
		ranks: make([]*rankState, n), over: make(chan struct{}), allJoined: make(chan struct{}),
		allReady: make(chan struct{})}
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
	state := &rankState{rank: int(h.Rank), address: h.Address, out: make(chan *proto.FromCoordinator, outboxCapacity),
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
		w.Addresses = append(w.Addresses, state.address)
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

// absent returns a heartbeat that lists the ranks that have not sent their hello.
func (c *coordinator) absent() *proto.Beat {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.absentLocked()
}

func (c *coordinator) absentLocked() *proto.Beat {
	const maxListed = 16
	b := new(proto.Beat)
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

// maxTold is the largest number of ranks that have left in a heartbeat, which must fit into a message.
const maxTold = 8 << 10

// beat returns a heartbeat for a rank, with what it has not been told.
func (c *coordinator) beat(state *rankState) *proto.Beat {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.absentLocked()
	b.Ready = c.ready == c.size
	if state.left {
		return b
	}
	for ; state.told < len(c.left) && len(b.Left) < maxTold; state.told++ {
		l := &c.left[state.told]
		sent := uint64(0)
		if i, found := slices.BinarySearch(l.to, uint32(state.rank)); found {
			sent = l.sent[i]
		}
		b.Left, b.Sent = append(b.Left, l.rank), append(b.Sent, sent)
	}
	return b
}

// handle handles a message of a rank's control stream.
func (c *coordinator) handle(state *rankState, msg *proto.FromRank) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state.life.Beat()
	rank := uint32(state.rank)
	switch k := msg.Kind.(type) {
	case *proto.FromRank_Beat:
		if k.Beat.Ready && !state.ready && c.joined == c.size {
			state.ready = true
			if c.ready++; c.ready == c.size {
				close(c.allReady)
			}
		}
		state.entered = k.Beat.Entered
		c.answered(state)
		for _, silent := range k.Beat.Missing {
			if int64(silent) < int64(c.size) && c.joined == c.size && !c.ranks[silent].left {
				c.decide(lostVerdict(int(silent), fmt.Sprintf("no heartbeat for %v", c.cfg.Silence)))
			}
		}
	case *proto.FromRank_Abort:
		c.decide(&proto.Verdict{Kind: proto.Verdict_ABORTED, Rank: rank, Code: k.Abort.Code, Text: k.Abort.Cause,
			WaitingFor: -1})
	case *proto.FromRank_GiveUp:
		state.entered = k.GiveUp.Entered
		c.giveUp(state, "gave up: "+k.GiveUp.Text)
	case *proto.FromRank_Fault:
		if int64(k.Fault.Rank) < int64(c.size) {
			c.decide(faultVerdict(k.Fault.Rank, k.Fault.Text))
		}
	case *proto.FromRank_Leave:
		c.leave(state, k.Leave)
	}
}

// leave handles the Leave of a rank, of which the next heartbeats to the others tell.
func (c *coordinator) leave(state *rankState, msg *proto.Leave) {
	if state.left || c.verdict != nil || c.joined < c.size || len(msg.Sent) != len(msg.To) ||
		!slices.IsSorted(msg.To) {
		return
	}
	state.left, state.entered = true, msg.Entered
	c.left = append(c.left, leaver{uint32(state.rank), msg.To, msg.Sent})
	if len(c.left) == c.size {
		c.finish(&proto.FromCoordinator{Kind: &proto.FromCoordinator_Farewell{Farewell: &proto.Farewell{}}})
	}
}

// leavers returns the number of ranks that have left.
func (c *coordinator) leavers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.left)
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

// quiet reports whether there is nothing to tell a rank: once all are linked, heartbeats go along the tree of ranks, if
// the coordinator is in the process of one.
func (c *coordinator) quiet(state *rankState) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.host >= 0 && c.ready == c.size && (state.left || state.told == len(c.left))
}

// watch declares ranks lost that sent nothing for longer than they may, until ranks watch each other along the tree. It
// returns when the run is over or stop is closed.
func (c *coordinator) watch(stop <-chan struct{}) {
	tick := time.NewTicker(c.cfg.checkInterval())
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
				if state == nil || state.left || c.host >= 0 && c.ready == c.size {
					continue
				}
				if limit := c.cfg.silenceLimit(state.ready); state.life.Silent(limit) {
					c.decide(lostVerdict(state.rank, fmt.Sprintf("no heartbeat for %v", limit)))
				}
			}
			c.mu.Unlock()
		}
	}
}

// decide ends the run with the first verdict. The caller holds the lock.
func (c *coordinator) decide(v *proto.Verdict) {
	if c.verdict == nil && len(c.left) < c.size && !c.stopping {
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
