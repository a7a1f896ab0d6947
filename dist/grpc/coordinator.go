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

// coordinator decides for all ranks: who takes part, what the result of a collective is, who is lost. It knows no
// network; control.go connects it. Its first verdict is final.
type coordinator struct {
	size    int
	host    int // the rank in whose process it lives, -1 for none
	session uint64
	silence time.Duration
	clock   *life.Clock
	job     jobIdentity
	check   func(address string) error // refuses addresses that are invalid, or must not be used without TLS
	refused *refusals

	mu          sync.Mutex
	members     []*member // by rank, nil before its hello
	joined      int       // how many members there are
	left        int
	verdict     *proto.Verdict
	stopping    bool                   // its process is going down: nothing that it sees now means anything
	collectives [2]*collect.Collective // in turn: a rank may enter one while others still take the result of the last
	tasks       sync.WaitGroup         // of what outlives the handlers that begin it; waited for when these have returned

	allJoined chan struct{} // closed when all ranks have said hello
	over      chan struct{} // closed after a verdict, or when all have left
}

// member is what the coordinator knows of a rank.
type member struct {
	rank    int
	hello   *proto.Hello
	out     chan *proto.FromCoordinator // read by the goroutine that serves Attend
	life    *life.Pulse
	entered int // collectives
	left    bool
	gone    chan struct{} // closed when its stream has ended

	replyLock sync.Mutex // one answer at a time
	reply     func(result []byte)
}

// outbox is how many messages may wait for a rank that does not read. Besides beats, which are left out then, that
// is a welcome, a farewell from each rank, and an end.
func outbox(size int) int { return size + 8 }

func newCoordinator(cfg Config, host int, refused *refusals) *coordinator {
	by := "the coordinator"
	if host >= 0 {
		by = fmt.Sprintf("rank %d", host)
	}
	n := cfg.Size
	return &coordinator{size: n, host: host, session: newSession(), silence: cfg.Silence,
		clock: life.NewClock(life.CheckInterval(cfg.Silence)), job: jobOf(cfg, by),
		check: cfg.check, refused: refused, members: make([]*member, n),
		collectives: [2]*collect.Collective{collect.NewCollective(n), collect.NewCollective(n)}, over: make(chan struct{}),
		allJoined: make(chan struct{})}
}

// newSession is a number that nobody guesses: whoever knows it may send frames.
func newSession() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

// refusal is why a rank was not admitted to the run.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// join admits the rank whose stream ctx is of. One that does not fit is refused with a refusal, and the run goes
// on.
func (c *coordinator) join(ctx context.Context, h *proto.Hello) (*member, error) {
	name, err := certified(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	why, text := c.refusalReason(h, name)
	if err != nil {
		why, text = wrongName, err.Error()
	}
	if text != "" {
		who := fmt.Sprintf("rank %d", h.Rank)
		if v := guardedConnOf(ctx); v != nil {
			who += " from " + v.origin()
		}
		c.refused.add(why, who, text)
		return nil, &refusal{text}
	}
	if err := trustConnection(ctx); err != nil {
		return nil, err
	}
	m := &member{rank: int(h.Rank), hello: h, out: make(chan *proto.FromCoordinator, outbox(c.size)),
		life: life.NewPulse(c.clock), gone: make(chan struct{})}
	c.members[m.rank] = m
	if c.job.build == "" && c.job.hash == "" {
		c.job.build, c.job.hash, c.job.setBy = h.BuildId, h.CaseHash, fmt.Sprintf("rank %d", m.rank)
	}
	if c.joined++; c.joined == c.size {
		close(c.allJoined)
	}
	if c.verdict != nil {
		c.sendVerdict(m)
		return m, nil
	}
	if c.joined < c.size {
		return m, nil
	}
	w := &proto.Welcome{Session: c.session}
	for _, m := range c.members {
		w.Addresses = append(w.Addresses, m.hello.Address)
	}
	for _, m := range c.members {
		m.out <- &proto.FromCoordinator{Kind: &proto.FromCoordinator_Welcome{Welcome: w}}
	}
	return m, nil
}

// sendVerdict tells the verdict to a rank that comes after it; to the host, as always, when the others have heard it.
// The caller holds the lock.
func (c *coordinator) sendVerdict(m *member) {
	msg := verdictMessage(c.verdict)
	if m.rank != c.host {
		m.out <- msg
		return
	}
	c.tasks.Go(func() {
		<-c.over
		m.out <- msg
	})
}

// beat is a sign of life. Before all ranks have said hello it tells which have not.
func (c *coordinator) beat() *proto.Beat {
	const most = 16
	b := new(proto.Beat)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.joined == c.size {
		return b
	}
	b.Absent = uint32(c.size - c.joined)
	for r, m := range c.members {
		if m == nil {
			if b.Missing = append(b.Missing, uint32(r)); len(b.Missing) == most {
				break
			}
		}
	}
	b.Refused = c.refused.recentLines()
	return b
}

// handle handles a message of a rank's control stream.
func (c *coordinator) handle(m *member, msg *proto.FromRank) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.life.Beat()
	rank := uint32(m.rank)
	switch k := msg.Kind.(type) {
	case *proto.FromRank_Abort:
		c.decide(&proto.Verdict{Kind: proto.Verdict_ABORTED, Rank: rank, Code: k.Abort.Code, Text: k.Abort.Cause,
			WaitingFor: -1})
	case *proto.FromRank_GiveUp:
		v := fault(rank, "gave up: "+k.GiveUp.Text)
		if m.entered > 0 {
			v.WaitingFor = int32(c.collectives[(m.entered-1)&1].Missing())
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
	if m.left || c.verdict != nil || c.joined < c.size || len(sent) != c.size {
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

// streamEnded handles the end of a rank's control stream: its death, unless it has left or the run is over.
func (c *coordinator) streamEnded(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(m.gone)
	if !m.left {
		c.decide(lost(m.rank, "its connection broke"))
	}
}

// watch declares ranks lost that gave no sign of life. It returns when the run is over or stop is closed.
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
			for _, m := range c.members {
				if m != nil && !m.left && m.life.Silent(c.silence) {
					c.decide(lost(m.rank, fmt.Sprintf("no sign of life for %v", c.silence)))
				}
			}
			c.mu.Unlock()
		}
	}
}

// decide ends the run with the first verdict. The caller holds the lock.
func (c *coordinator) decide(v *proto.Verdict) {
	if c.verdict == nil && c.left < c.size && !c.stopping {
		v.Text = truncated(v.Text)
		c.verdict = v
		c.finish(verdictMessage(v))
	}
}

// hostDelay bounds how long the rank that hosts the coordinator waits for the others to receive the end of the run.
const hostDelay = 300 * time.Millisecond

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
	c.tasks.Go(func() {
		c.awaitAllClosed()
		if host != nil {
			host.out <- msg
		}
		close(c.over)
	})
}

// awaitAllClosed waits for a short time until every rank has said hello and heard the end.
func (c *coordinator) awaitAllClosed() {
	timeout := time.NewTimer(hostDelay)
	defer timeout.Stop()
	select {
	case <-c.allJoined:
	case <-timeout.C:
		return
	}
	c.mu.Lock()
	members, silent := slices.Clone(c.members), -1
	if c.verdict != nil && c.verdict.Kind == proto.Verdict_LOST {
		silent = int(c.verdict.Rank) // who will say nothing about it
	}
	c.mu.Unlock()
	for _, m := range members {
		if m.rank == c.host || m.rank == silent {
			continue
		}
		select {
		case <-m.gone:
		case <-timeout.C:
			return
		}
	}
}

// truncated is a text that fits into a message: of bounded length, and in UTF-8.
func truncated(text string) string {
	const most = 16 << 10
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func verdictMessage(v *proto.Verdict) *proto.FromCoordinator {
	return &proto.FromCoordinator{Kind: &proto.FromCoordinator_Verdict{Verdict: v}}
}

func fault(rank uint32, text string) *proto.Verdict {
	return &proto.Verdict{Kind: proto.Verdict_FAULT, Rank: rank, Text: text, WaitingFor: -1}
}

func lost(rank int, text string) *proto.Verdict {
	return &proto.Verdict{Kind: proto.Verdict_LOST, Rank: uint32(rank), Text: text, WaitingFor: -1}
}
