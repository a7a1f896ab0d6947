package supervise

import (
	"fmt"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// grace is how long the others may take when a rank has failed: when it says so itself, to say the same or what became
// of them, and when it has only followed another, for that one to be heard.
const (
	grace   = 3 * time.Second
	hearing = 300 * time.Millisecond
)

// place is what the machine knows of one.
type place struct {
	name  string
	order int
	slots int
	meet  string
}

// Machine decides for a run. Its zero value is of no use: see NewMachine.
type Machine struct {
	limits Limits
	state  State
	places []place // in the order in which they came

	epoch, began uint64
	shares       []Share         // of the epoch, or of the one that is being raised
	size         int             // its ranks
	running      map[string]bool // places of which workers run
	exits        []launch.Exit

	stopping bool   // somebody wants the run to stop
	resizing bool   // workers were told to stop so that others may take over
	gone     string // why a place of the epoch was lost, "" if none was
	why      string // of the next epoch
	saved    int    // after how many steps the state was saved when the epoch began, -1 if not
	futile   int    // losses since that was later than before
	failure  string // what the last rank that failed by itself said
	fits     int    // ranks of the last epoch of which the input was not refused, 0 if there is none
	room     room   // aligned

	out []Action
}

// NewMachine makes a machine that waits for its first place.
func NewMachine(l Limits) *Machine {
	return &Machine{limits: l, running: map[string]bool{}, saved: -1, room: room{wanted: l.Begin, left: map[int]bool{}}}
}

// State is what the machine waits for.
func (m *Machine) State() State { return m.state }

// Step takes an event, and returns what is to be done, in this order.
func (m *Machine) Step(e Event) []Action {
	m.out = nil
	if m.state == Over {
		if a, ok := e.(Ask); ok {
			m.do(Answer{a.ID, "the run is over"})
		}
		return m.out
	}
	switch e := e.(type) {
	case Join:
		m.join(e)
	case Slots:
		if p := m.place(e.Place); p != nil {
			p.slots = e.Slots
			m.room.left[p.order] = e.Slots == 0
			why := fmt.Sprintf("%s offers %d ranks now", e.Place, e.Slots)
			if e.Slots == 0 {
				why = e.Place + " leaves"
			}
			m.reconsider(why)
		}
	case Woken:
		m.woken(e)
	case Leave:
		m.leave(e)
	case Exited:
		if e.Epoch == m.epoch && m.running[e.Place] {
			m.exited(e.Exit)
		}
	case Ended:
		if p := m.place(e.Place); p != nil && e.Epoch == m.epoch && m.running[e.Place] {
			p.meet = e.Meet
			m.ended(e.Place)
		}
	case Raised:
		m.raised(e)
	case Ask:
		m.ask(e)
	case Stop:
		m.stop()
	}
	return m.out
}

func (m *Machine) do(a Action) { m.out = append(m.out, a) }

func (m *Machine) place(name string) *place {
	i := slices.IndexFunc(m.places, func(p place) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return &m.places[i]
}

// reconsider looks whether the ranks should be others than they are.
func (m *Machine) reconsider(why string) {
	switch m.state {
	case Waiting:
		m.begin()
	case Running:
		fits := m.target() == m.size
		for _, s := range m.shares {
			if p := m.place(s.Place); p == nil || p.slots < s.Ranks {
				fits = false
			}
		}
		if !fits {
			m.why, m.resizing = why, true
			m.end(End{Drain: true})
		}
	}
}

func (m *Machine) leave(e Leave) {
	p := m.place(e.Place)
	if p == nil {
		return
	}
	left := p.slots == 0
	m.room.left[p.order] = left
	m.places = slices.DeleteFunc(m.places, func(p place) bool { return p.name == e.Place })
	why := fmt.Sprintf("%s has gone: %s", e.Place, e.Why)
	if m.state == Raising && !left {
		m.why = why
	}
	if !m.running[e.Place] {
		return
	}
	if m.gone == "" {
		m.gone = why
	}
	delete(m.running, e.Place)
	if len(m.running) == 0 {
		m.settle()
		return
	}
	m.end(End{})
}

// exited takes the end of a worker. The first failure is the end of all.
func (m *Machine) exited(e launch.Exit) {
	m.exits = append(m.exits, e)
	if m.state != Running {
		return
	}
	switch {
	case e.Code == Done && e.Rank != 0:
	case e.Code == Done, e.Code == Saved: // all have agreed on it
		m.end(End{After: m.limits.Drain})
	case e.Code == Followed:
		m.end(End{After: hearing})
	case e.Signal != 0:
		m.end(End{})
	default:
		m.end(End{After: grace})
	}
}

// end ends all workers.
func (m *Machine) end(how End) {
	m.state = Ending
	how.Epoch = m.epoch
	for _, s := range m.shares {
		if m.running[s.Place] {
			how.Place = s.Place
			m.do(how)
		}
	}
}

func (m *Machine) ended(name string) {
	if delete(m.running, name); len(m.running) == 0 {
		m.settle()
	}
}

// settle decides what follows an epoch.
func (m *Machine) settle() {
	v := judge(m.exits, m.gone, m.resizing || m.stopping)
	if v.kind != refused {
		m.fits = m.size
	}
	switch {
	case v.kind == refused && !m.stopping && m.fits > 0 && m.fits != m.size:
		m.why = fmt.Sprintf("%d ranks cannot run it: %s", m.size, v.text)
		m.limits.Ranks, m.limits.Least, m.room.wanted = m.fits, m.fits, m.fits
		m.begin()
	case v.kind == done, v.kind == refused:
		m.finish(Outcome{})
	case m.stopping:
		m.finish(Outcome{Stopped: true})
	case v.kind == stopped && m.resizing:
		m.begin()
	case v.kind == stopped, v.kind == failed && !m.limits.Again, m.limits.Retries == 0:
		m.finish(Outcome{})
	case v.kind == failed && v.text == m.failure:
		m.finish(Outcome{Why: "it has failed twice in the same way: " + v.text})
	default:
		if v.kind == failed {
			m.failure = v.text
		}
		m.futile++
		m.why = v.text
		m.begin()
	}
}

// begin begins another epoch, or waits until there are places for it.
func (m *Machine) begin() {
	n := m.target()
	if n == 0 {
		m.wait()
		return
	}
	m.state, m.size = Raising, n
	m.room.taken(n)
	m.shares = nil
	for _, p := range m.offers() {
		if k := min(p.slots, n); k > 0 {
			m.shares = append(m.shares, Share{p.name, m.size - n, k})
			n -= k
		}
	}
	m.do(Raise{slices.Clone(m.shares)})
}

// because is the beginning of a sentence, which tells why there is another epoch.
func (m *Machine) because() string {
	if m.why == "" {
		return ""
	}
	return m.why + "; "
}

func (m *Machine) raised(e Raised) {
	if m.state != Raising {
		return
	}
	if e.Err != nil {
		m.finish(Outcome{Err: e.Err})
		return
	}
	first := m.began == 0
	if m.epoch = e.Epoch; first {
		m.began = e.Epoch
	}
	if e.Saved > m.saved {
		m.futile, m.failure = 0, ""
	}
	m.saved = e.Saved
	if m.stopping {
		m.finish(Outcome{Stopped: true})
		return
	}
	if m.futile > m.limits.Retries {
		m.finish(Outcome{Why: fmt.Sprintf("%d times in succession it got no further than %s: %s", m.futile, m.from(), m.why)})
		return
	}
	if m.target() != m.size || slices.ContainsFunc(m.shares, func(s Share) bool {
		p := m.place(s.Place)
		return p == nil || p.slots < s.Ranks
	}) {
		m.begin()
		return
	}
	m.start(first)
}

// from names the state from which ranks go on.
func (m *Machine) from() string {
	if m.saved < 0 {
		return "the beginning"
	}
	return fmt.Sprintf("step %d", m.saved)
}

func (m *Machine) start(first bool) {
	if !first {
		on := "goes on from " + m.from()
		if m.saved < 0 {
			on = "starts again from the beginning, as no state is saved"
		}
		ranks := "1 rank"
		if m.size > 1 {
			ranks = fmt.Sprintf("%d ranks", m.size)
		}
		m.do(Tell{fmt.Sprintf("%s%s, on %s, as epoch %d", m.because(), on, ranks, m.epoch)})
	}
	m.state, m.exits, m.gone, m.why, m.resizing = Running, nil, "", "", false
	clear(m.running)
	coordinator := ""
	if len(m.shares) > 1 {
		coordinator = m.place(m.shares[0].Place).meet
	}
	for _, s := range m.shares {
		m.running[s.Place] = true
		m.do(Start{Share: s, Size: m.size, Epoch: m.epoch, Began: m.began, Coordinator: coordinator})
	}
}

func (m *Machine) ask(e Ask) {
	elastic := m.limits.Most > 0
	switch {
	case m.stopping:
		m.do(Answer{e.ID, "the run is stopping"})
	case m.limits.Aligned:
		m.do(Answer{e.ID, "the number of pods says how many ranks there are: change that, by atoll ranks --job"})
	case e.Ranks < 1:
		m.do(Answer{e.ID, fmt.Sprintf("%d ranks: at least 1", e.Ranks)})
	case elastic && (e.Ranks < m.limits.Least || e.Ranks > m.limits.Most):
		m.do(Answer{e.ID, fmt.Sprintf("%d ranks: the run was started for %d to %d", e.Ranks, m.limits.Least, m.limits.Most)})
	case !elastic && e.Ranks > m.slots():
		m.do(Answer{e.ID, fmt.Sprintf("%d ranks: the places have room for %d", e.Ranks, m.slots())})
	default:
		m.do(Answer{ID: e.ID})
		if m.limits.Ranks = e.Ranks; !elastic {
			m.limits.Least = e.Ranks
		}
		m.reconsider(fmt.Sprintf("%d ranks were asked for", e.Ranks))
	}
}

func (m *Machine) stop() {
	m.stopping = true
	switch m.state {
	case Waiting:
		m.finish(Outcome{Stopped: true})
	case Running:
		m.end(End{Drain: true})
	}
}

func (m *Machine) finish(o Outcome) {
	m.state = Over
	o.Exits = m.exits
	m.do(Finish{o})
}
