package supervise

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// alignment is the part of the state machine for aligned members: it waits for missing members.
type alignment struct {
	wanted   int          // ranks of the latest epoch, or Limits.InitialRanks
	departed map[int]bool // [ordinal]: the member announced that it leaves, and may not come back

	waited   time.Duration
	timedOut bool // waited has reached Limits.WaitLimit

	timers    int // number of timers set so far
	waitTimer int // ID of the timer that ends a step of the wait for missing members, 0 for none
	joinTimer int // ID of the timer after which ranks are assigned to members that have joined, 0 for none
}

// epochBegins resets the wait when an epoch with that many ranks begins.
func (r *alignment) epochBegins(ranks int) {
	r.wanted, r.waited, r.timedOut, r.waitTimer = ranks, 0, false, 0
}

// waitReportInterval is how often a wait for members, or for the launcher, is logged.
const waitReportInterval = 10 * time.Second

// eligibleMembers returns the members that ranks can be assigned to, in the order of the ranks. Aligned members are
// eligible up to the first missing ordinal.
func (m *StateMachine) eligibleMembers() []memberState {
	if !m.limits.Aligned {
		return m.members
	}
	eligible := slices.Clone(m.members)
	eligible = slices.DeleteFunc(eligible, func(p memberState) bool { return p.slots == 0 })
	slices.SortStableFunc(eligible, func(a, b memberState) int { return a.ordinal - b.ordinal })
	for rank, p := range eligible {
		if p.ordinal != rank {
			return eligible[:rank]
		}
	}
	return eligible
}

func (m *StateMachine) slotCount() (n int) {
	for _, p := range m.eligibleMembers() {
		n += p.slots
	}
	return n
}

// targetRanks returns the number of ranks of the next epoch, or 0 if there are slots for too few.
func (m *StateMachine) targetRanks() int {
	n := min(m.limits.Ranks, m.slotCount())
	if n < min(m.limits.MinRanks, m.limits.Ranks) || m.limits.Aligned && n < m.alignment.wanted && !m.mayShrink(n) {
		return 0
	}
	return n
}

// mayShrink reports whether the run continues with n ranks, fewer than wanted. It does if all members of ordinals n and
// above have announced that they leave, as when a Job is scaled down, or if the wait has timed out. Otherwise the run
// waits, since Kubernetes recreates a pod that was lost or has a lower ordinal than others.
func (m *StateMachine) mayShrink(n int) bool {
	if m.alignment.timedOut {
		return true
	}
	for ordinal := n; ordinal < m.alignment.wanted; ordinal++ {
		if !m.alignment.departed[ordinal] {
			return false
		}
	}
	return !slices.ContainsFunc(m.members, func(p memberState) bool { return p.slots > 0 && p.ordinal >= n })
}

func (m *StateMachine) join(e Join) {
	m.members = append(m.members, memberState{e.Member, e.Ordinal, e.Slots, e.Rendezvous})
	delete(m.alignment.departed, e.Ordinal)
	if m.limits.Aligned && m.state == Running {
		m.alignment.joinTimer = m.setTimer(m.limits.JoinDelay)
		return
	}
	m.reconsider(e.Member + " has joined")
}

func (m *StateMachine) setTimer(after time.Duration) int {
	m.alignment.timers++
	m.emit(SetTimer{after, m.alignment.timers})
	return m.alignment.timers
}

func (m *StateMachine) timerFired(e TimerFired) {
	switch {
	case e.ID == m.faultTimer && m.state == Waiting:
		m.faultTimer = 0
		m.begin()
	case e.ID == m.alignment.joinTimer && m.state == Running:
		m.reconsider(fmt.Sprintf("there are %d pods now", m.slotCount()))
	case e.ID == m.alignment.waitTimer && m.state == Waiting:
		m.alignment.waitTimer = 0
		m.alignment.waited += waitReportInterval
		m.alignment.timedOut = m.limits.WaitLimit > 0 && m.alignment.waited >= m.limits.WaitLimit
		m.begin()
	}
}

// wait enters the state Waiting and logs which members are missing: once or, if members are aligned, every
// waitReportInterval until the wait times out.
func (m *StateMachine) wait() {
	m.state = Waiting
	switch {
	case !m.limits.Aligned:
		m.emit(LogLine{fmt.Sprintf("%swaiting for members: found %d of at least %d slots", m.reasonPrefix(), m.slotCount(),
			min(m.limits.MinRanks, m.limits.Ranks))})
	case m.alignment.timedOut:
		m.finish(Outcome{MembersMissing: true, Reason: fmt.Sprintf("waited for %s for %v", m.missingPods(),
			m.alignment.waited)})
	case m.alignment.waitTimer == 0:
		waited := ""
		if m.alignment.waited > 0 {
			waited = fmt.Sprintf(" (%v so far)", m.alignment.waited)
		}
		m.emit(LogLine{m.reasonPrefix() + "waiting for " + m.missingPods() + waited})
		m.alignment.waitTimer = m.setTimer(waitReportInterval)
	}
}

// missingPods names the pods of the ordinals without a member, as in "the pods of ranks 1, 3 to 5".
func (m *StateMachine) missingPods() string {
	var ranges []string
	for first := 0; first < m.alignment.wanted; {
		end := first
		for end < m.alignment.wanted && !slices.ContainsFunc(m.members, func(p memberState) bool {
			return p.slots > 0 && p.ordinal == end
		}) {
			end++
		}
		switch end - first {
		case 0:
		case 1:
			ranges = append(ranges, fmt.Sprint(first))
		default:
			ranges = append(ranges, fmt.Sprintf("%d to %d", first, end-1))
		}
		first = end + 1
	}
	pods := strings.Join(ranges, ", ")
	if !strings.ContainsAny(pods, ", ") {
		return "the pod of rank " + pods
	}
	return "the pods of ranks " + pods
}
