package supervise

import (
	"fmt"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/launch"
)

// How long the other workers may take to exit by themselves: failureGrace after a rank that reports a failure of its
// own; followerGrace after a rank that exits because another failed, so that the other's exit is received first.
const (
	failureGrace  = 3 * time.Second
	followerGrace = 300 * time.Millisecond
)

// memberState is the state of a member.
type memberState struct {
	name       string
	ordinal    int
	slots      int
	rendezvous string
}

// StateMachine makes all decisions of a supervised run. Use NewStateMachine to make one.
type StateMachine struct {
	limits  Limits
	state   State
	members []memberState // in the order in which they joined

	epoch, firstEpoch uint64
	// assignments of the current epoch; while the journal increments and stores the epoch, of the next one
	assignments []Assignment
	size        int             // number of ranks in assignments
	running     map[string]bool // [member]: has running workers
	exits       []launch.Exit   // of the current epoch

	stopping bool // the event Stop has occurred
	// workers were told to save and stop, for an epoch with another number of ranks or other members
	resizing     bool
	lostMember   string    // describes the loss of a member in the current epoch; "" for none
	reason       string    // why another epoch is needed
	saved        int       // the step of the latest checkpoint when the epoch began, -1 without one
	futileEpochs int       // number of epochs in succession that ended in a loss or fault without a later checkpoint
	faultTimer   int       // ID of the timer that ends the wait after a fault
	failure      string    // the last failure that a rank reported of itself
	acceptedSize int       // number of ranks of the last epoch whose ranks accepted the input, 0 for none
	alignment    alignment // used if limits.Aligned

	out []Action // of the current event
}

// NewStateMachine returns a state machine that waits for its first member.
func NewStateMachine(l Limits) *StateMachine {
	return &StateMachine{limits: l, running: map[string]bool{}, saved: -1, alignment: alignment{wanted: l.InitialRanks,
		departed: map[int]bool{}}}
}

// State returns the current state.
func (m *StateMachine) State() State { return m.state }

// Step handles an event, and returns the actions to execute, in order.
func (m *StateMachine) Step(e Event) []Action {
	m.out = nil
	if m.state == Over {
		if a, ok := e.(ResizeRequest); ok {
			m.emit(ResizeReply{a.ID, "the run is over"})
		}
		return m.out
	}
	switch e := e.(type) {
	case Join:
		m.join(e)
	case Slots:
		if p := m.member(e.Member); p != nil {
			p.slots = e.Slots
			m.alignment.departed[p.ordinal] = e.Slots == 0
			reason := fmt.Sprintf("%s has %d slots now", e.Member, e.Slots)
			if e.Slots == 0 {
				reason = e.Member + " leaves"
			}
			m.reconsider(reason)
		}
	case TimerFired:
		m.timerFired(e)
	case Leave:
		m.leave(e)
	case Exited:
		if e.Epoch == m.epoch && m.running[e.Member] {
			m.exited(e.Exit)
		}
	case AllExited:
		if p := m.member(e.Member); p != nil && e.Epoch == m.epoch && m.running[e.Member] {
			p.rendezvous = e.Rendezvous
			m.allExited(e.Member)
		}
	case EpochRaised:
		m.raised(e)
	case ResizeRequest:
		m.resize(e)
	case Stop:
		m.stop()
	}
	return m.out
}

func (m *StateMachine) emit(a Action) { m.out = append(m.out, a) }

func (m *StateMachine) member(name string) *memberState {
	i := slices.IndexFunc(m.members, func(p memberState) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return &m.members[i]
}

// reconsider begins another epoch if the members now allow, or need, other assignments.
func (m *StateMachine) reconsider(reason string) {
	switch m.state {
	case Waiting:
		m.begin()
	case Running:
		fits := m.targetRanks() == m.size
		for _, s := range m.assignments {
			if p := m.member(s.Member); p == nil || p.slots < s.Ranks {
				fits = false
			}
		}
		if !fits {
			m.reason, m.resizing = reason, true
			m.endWorkers(EndWorkers{Drain: true})
		}
	}
}

func (m *StateMachine) leave(e Leave) {
	p := m.member(e.Member)
	if p == nil {
		return
	}
	announced := p.slots == 0
	m.alignment.departed[p.ordinal] = announced
	m.members = slices.DeleteFunc(m.members, func(p memberState) bool { return p.name == e.Member })
	reason := fmt.Sprintf("lost %s: %s", e.Member, e.Reason)
	if m.state == Raising && !announced {
		m.reason = reason
	}
	if !m.running[e.Member] {
		return
	}
	if m.lostMember == "" {
		m.lostMember = reason
	}
	delete(m.running, e.Member)
	if len(m.running) == 0 {
		m.epochEnded()
		return
	}
	m.endWorkers(EndWorkers{})
}

// exited handles the exit of a worker. The first failure ends all workers.
func (m *StateMachine) exited(e launch.Exit) {
	m.exits = append(m.exits, e)
	if m.state != Running {
		return
	}
	switch {
	case e.Code == launch.ExitDone && e.Rank != 0:
	case e.Code == launch.ExitDone, e.Code == launch.ExitStopped: // the ranks have agreed to end: the others follow
		m.endWorkers(EndWorkers{After: m.limits.Drain})
	case e.Code == launch.ExitPeerFailed:
		m.endWorkers(EndWorkers{After: followerGrace})
	case e.Signal != 0:
		m.endWorkers(EndWorkers{})
	default:
		m.endWorkers(EndWorkers{After: failureGrace})
	}
}

// endWorkers emits action for each member with running workers.
func (m *StateMachine) endWorkers(action EndWorkers) {
	m.state = Ending
	action.Epoch = m.epoch
	for _, s := range m.assignments {
		if m.running[s.Member] {
			action.Member = s.Member
			m.emit(action)
		}
	}
}

func (m *StateMachine) allExited(name string) {
	if delete(m.running, name); len(m.running) == 0 {
		m.epochEnded()
	}
}

// epochEnded begins another epoch or ends the run, when all workers have exited.
func (m *StateMachine) epochEnded() {
	v := classify(m.exits, m.lostMember, m.resizing || m.stopping)
	if v.end != refused {
		m.acceptedSize = m.size
	}
	switch {
	case v.end == refused && !m.stopping && m.acceptedSize > 0 && m.acceptedSize != m.size:
		m.reason = fmt.Sprintf("the case does not run on %d ranks: %s", m.size, v.text)
		m.limits.Ranks, m.limits.MinRanks, m.alignment.wanted = m.acceptedSize, m.acceptedSize, m.acceptedSize
		m.begin()
	case v.end == done, v.end == refused:
		m.finish(Outcome{})
	case m.stopping:
		m.finish(Outcome{Stopped: true})
	case v.end == stopped && m.resizing:
		m.begin()
	case v.end == stopped, v.end == failed && !m.limits.RetryFailures, m.limits.Retries == 0:
		m.finish(Outcome{Faulty: v.end == faulty})
	case v.end == faulty:
		m.reason = v.text
		m.tryLater()
	case v.end == failed && v.text == m.failure:
		m.finish(Outcome{Reason: "it has failed twice with the same error: " + v.text})
	default:
		if v.end == failed {
			m.failure = v.text
		}
		m.futileEpochs++
		m.reason = v.text
		m.begin()
	}
}

// tryLater waits before the next epoch, after each fault in succession twice as long: a disk may be full or a file
// system unreachable for a while.
func (m *StateMachine) tryLater() {
	delay := min(time.Second<<m.futileEpochs, longestDelay)
	m.futileEpochs++
	if m.futileEpochs > m.limits.Retries {
		m.giveUp(true)
		return
	}
	m.emit(LogLine{fmt.Sprintf("%strying again in %v", m.reasonPrefix(), delay)})
	m.state, m.faultTimer = Waiting, m.setTimer(delay)
}

const longestDelay = 30 * time.Second

// giveUp ends a run whose epochs have made no progress, the last one because of a fault.
func (m *StateMachine) giveUp(faulty bool) {
	m.finish(Outcome{Reason: fmt.Sprintf("%d epochs in succession got no further than %s: %s", m.futileEpochs,
		m.resumePoint(), m.reason), Faulty: faulty})
}

// begin begins another epoch, or waits until there are slots for it.
func (m *StateMachine) begin() {
	n := m.targetRanks()
	if n == 0 {
		m.wait()
		return
	}
	m.state, m.size = Raising, n
	m.alignment.epochBegins(n)
	m.assignments = nil
	for _, p := range m.eligibleMembers() {
		if k := min(p.slots, n); k > 0 {
			m.assignments = append(m.assignments, Assignment{p.name, m.size - n, k})
			n -= k
		}
	}
	m.emit(RaiseEpoch{slices.Clone(m.assignments)})
}

// reasonPrefix returns the start of a log line: why another epoch is needed.
func (m *StateMachine) reasonPrefix() string {
	if m.reason == "" {
		return ""
	}
	return m.reason + "; "
}

func (m *StateMachine) raised(e EpochRaised) {
	if m.state != Raising {
		return
	}
	if e.Err != nil && m.firstEpoch > 0 && m.limits.Retries > 0 && atomicfile.IsFault(e.Err) && !m.stopping {
		m.reason = e.Err.Error()
		m.tryLater()
		return
	}
	if e.Err != nil {
		m.finish(Outcome{Err: e.Err})
		return
	}
	first := m.firstEpoch == 0
	if m.epoch = e.Epoch; first {
		m.firstEpoch = e.Epoch
	}
	if e.Saved > m.saved {
		m.futileEpochs, m.failure = 0, ""
	}
	m.saved = e.Saved
	if m.stopping {
		m.finish(Outcome{Stopped: true})
		return
	}
	if m.futileEpochs > m.limits.Retries {
		m.giveUp(false)
		return
	}
	if m.targetRanks() != m.size || slices.ContainsFunc(m.assignments, func(s Assignment) bool {
		p := m.member(s.Member)
		return p == nil || p.slots < s.Ranks
	}) {
		m.begin()
		return
	}
	m.start(first)
}

// resumePoint describes the state from which the next epoch starts.
func (m *StateMachine) resumePoint() string {
	if m.saved < 0 {
		return "the beginning"
	}
	return fmt.Sprintf("step %d", m.saved)
}

func (m *StateMachine) start(first bool) {
	if !first {
		from := "continuing from " + m.resumePoint()
		if m.saved < 0 {
			from = "starting from the beginning, as there is no checkpoint"
		}
		ranks := "1 rank"
		if m.size > 1 {
			ranks = fmt.Sprintf("%d ranks", m.size)
		}
		m.emit(LogLine{fmt.Sprintf("%s%s, on %s, as epoch %d", m.reasonPrefix(), from, ranks, m.epoch)})
	}
	m.state, m.exits, m.lostMember, m.reason, m.resizing = Running, nil, "", "", false
	clear(m.running)
	coordinator := ""
	if len(m.assignments) > 1 {
		coordinator = m.member(m.assignments[0].Member).rendezvous
	}
	for _, s := range m.assignments {
		m.running[s.Member] = true
		m.emit(StartWorkers{Assignment: s, Size: m.size, Epoch: m.epoch, FirstEpoch: m.firstEpoch, Coordinator: coordinator})
	}
}

func (m *StateMachine) resize(e ResizeRequest) {
	elastic := m.limits.MaxRanks > 0
	switch {
	case m.stopping:
		m.emit(ResizeReply{e.ID, "the run is stopping"})
	case m.limits.Aligned:
		m.emit(ResizeReply{e.ID, "the number of ranks is the number of pods: change it by atoll ranks --job"})
	case e.Ranks < 1:
		m.emit(ResizeReply{e.ID, fmt.Sprintf("%d ranks: want at least 1", e.Ranks)})
	case elastic && (e.Ranks < m.limits.MinRanks || e.Ranks > m.limits.MaxRanks):
		m.emit(ResizeReply{e.ID, fmt.Sprintf("%d ranks: the run was started for %d to %d", e.Ranks, m.limits.MinRanks,
			m.limits.MaxRanks)})
	case !elastic && e.Ranks > m.slotCount():
		m.emit(ResizeReply{e.ID, fmt.Sprintf("%d ranks: the members have slots for %d", e.Ranks, m.slotCount())})
	default:
		m.emit(ResizeReply{ID: e.ID})
		if m.limits.Ranks = e.Ranks; !elastic {
			m.limits.MinRanks = e.Ranks
		}
		m.reconsider(fmt.Sprintf("%d ranks were requested", e.Ranks))
	}
}

func (m *StateMachine) stop() {
	m.stopping = true
	switch m.state {
	case Waiting:
		m.finish(Outcome{Stopped: true})
	case Running:
		m.endWorkers(EndWorkers{Drain: true})
	}
}

func (m *StateMachine) finish(o Outcome) {
	m.state = Over
	o.Exits = m.exits
	m.emit(Finish{o})
}
