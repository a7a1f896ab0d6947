package supervise

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// alignment is what the state machine knows of aligned members: which are missing, and how long it has waited for them.
type alignment struct {
	wanted int          // ranks
	left   map[int]bool // by ordinal: the member has left of its own accord, and may not come back

	waited   time.Duration
	timedOut bool // WaitLimit has passed

	timers int // how many were set
	// IDs of the timers at which it reports whom it waits for, and assigns ranks to those that have joined; 0 for none
	waitTimer, joinTimer int
}

// assigned notes that an epoch with so many ranks begins.
func (r *alignment) assigned(ranks int) {
	r.wanted, r.waited, r.timedOut, r.waitTimer = ranks, 0, false, 0
}

// waitReportInterval is how often a wait for members, or for the launcher, is logged.
const waitReportInterval = 10 * time.Second

// eligible are the members that ranks are assigned to, in the order of the ranks. Aligned members count up to the first
// that is missing.
func (m *StateMachine) eligible() []memberState {
	if !m.limits.Aligned {
		return m.members
	}
	all := slices.Clone(m.members)
	all = slices.DeleteFunc(all, func(p memberState) bool { return p.slots == 0 })
	slices.SortStableFunc(all, func(a, b memberState) int { return a.ordinal - b.ordinal })
	for rank, p := range all {
		if p.ordinal != rank {
			return all[:rank]
		}
	}
	return all
}

func (m *StateMachine) slots() (n int) {
	for _, p := range m.eligible() {
		n += p.slots
	}
	return n
}

// target is how many ranks the next epoch can have, 0 if too few.
func (m *StateMachine) target() int {
	n := min(m.limits.Ranks, m.slots())
	if n < min(m.limits.MinRanks, m.limits.Ranks) || m.limits.Aligned && n < m.alignment.wanted && !m.mayShrink(n) {
		return 0
	}
	return n
}

// mayShrink reports whether the run continues with n ranks, fewer than wanted. It does when the members beyond them
// have left of their own accord and none of a higher ordinal is there, as when a Job is scaled down. A pod that was
// lost, or has left from among the others, is being recreated.
func (m *StateMachine) mayShrink(n int) bool {
	if m.alignment.timedOut {
		return true
	}
	for order := n; order < m.alignment.wanted; order++ {
		if !m.alignment.left[order] {
			return false
		}
	}
	return !slices.ContainsFunc(m.members, func(p memberState) bool { return p.slots > 0 && p.ordinal >= n })
}

func (m *StateMachine) join(e Join) {
	m.members = append(m.members, memberState{e.Member, e.Ordinal, e.Slots, e.Rendezvous})
	delete(m.alignment.left, e.Ordinal)
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
	case e.ID == m.alignment.joinTimer && m.state == Running:
		m.reconsider(fmt.Sprintf("there are %d pods now", m.slots()))
	case e.ID == m.alignment.waitTimer && m.state == Waiting:
		m.alignment.waitTimer = 0
		m.alignment.waited += waitReportInterval
		m.alignment.timedOut = m.limits.WaitLimit > 0 && m.alignment.waited >= m.limits.WaitLimit
		m.begin()
	}
}

// wait waits for members, and logs for which: at once and, where they are aligned, every waitReportInterval.
func (m *StateMachine) wait() {
	m.state = Waiting
	least := min(m.limits.MinRanks, m.limits.Ranks)
	switch {
	case !m.limits.Aligned:
		m.emit(LogLine{fmt.Sprintf("%swaiting for members: there are slots for %d of at least %d ranks", m.reasonPrefix(),
			m.slots(), least)})
	case m.alignment.timedOut:
		m.finish(Outcome{MembersMissing: true, Reason: fmt.Sprintf("waited for %s for %v", m.missing(), m.alignment.waited)})
	case m.alignment.waitTimer == 0:
		so := ""
		if m.alignment.waited > 0 {
			so = fmt.Sprintf(" (%v so far)", m.alignment.waited)
		}
		m.emit(LogLine{m.reasonPrefix() + "waiting for " + m.missing() + so})
		m.alignment.waitTimer = m.setTimer(waitReportInterval)
	}
}

// missing names the ordinals without a member, in order.
func (m *StateMachine) missing() string {
	var all []string
	for order := 0; order < m.alignment.wanted; {
		last := order
		for last < m.alignment.wanted && !slices.ContainsFunc(m.members, func(p memberState) bool {
			return p.slots > 0 && p.ordinal == last
		}) {
			last++
		}
		switch last - order {
		case 0:
		case 1:
			all = append(all, fmt.Sprint(order))
		default:
			all = append(all, fmt.Sprintf("%d to %d", order, last-1))
		}
		order = max(last, order) + 1
	}
	pods := strings.Join(all, ", ")
	if !strings.ContainsAny(pods, ", ") {
		return "the pod of rank " + pods
	}
	return "the pods of ranks " + pods
}
