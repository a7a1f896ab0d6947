package supervise

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// room is what a machine knows of places that are aligned: of which ones it waits for, and for how long it has.
type room struct {
	wanted int          // ranks
	left   map[int]bool // by order: the place has left of its own accord, and may not come back

	waited time.Duration
	late   bool // it has waited for as long as it may

	woken         int // how often it was, or will be
	look, settled int // the Woken at which it looks what it waits for, and takes in who has come; 0 for none
}

// taken tells that ranks are given to so many.
func (r *room) taken(ranks int) {
	r.wanted, r.waited, r.late, r.look = ranks, 0, false, 0
}

// lookAgain is how often a machine that waits tells for whom.
const lookAgain = 10 * time.Second

// offers are the places that ranks are given to, in the order of the ranks. Aligned places end before the first that is
// missing.
func (m *Machine) offers() []place {
	if !m.limits.Aligned {
		return m.places
	}
	all := slices.Clone(m.places)
	all = slices.DeleteFunc(all, func(p place) bool { return p.slots == 0 })
	slices.SortStableFunc(all, func(a, b place) int { return a.order - b.order })
	for rank, p := range all {
		if p.order != rank {
			return all[:rank]
		}
	}
	return all
}

func (m *Machine) slots() (n int) {
	for _, p := range m.offers() {
		n += p.slots
	}
	return n
}

// target is how many ranks there can be, 0 if too few.
func (m *Machine) target() int {
	n := min(m.limits.Ranks, m.slots())
	if n < min(m.limits.Least, m.limits.Ranks) || m.limits.Aligned && n < m.room.wanted && !m.shrinks(n) {
		return 0
	}
	return n
}

// shrinks tells whether so many ranks, fewer than wanted, go on by themselves. They do when the others have left of
// their own accord and nobody stands beyond them, as when a Job is made smaller. Of a pod that was lost, or one that
// has left from among the others, another one is on its way.
func (m *Machine) shrinks(n int) bool {
	if m.room.late {
		return true
	}
	for order := n; order < m.room.wanted; order++ {
		if !m.room.left[order] {
			return false
		}
	}
	return !slices.ContainsFunc(m.places, func(p place) bool { return p.slots > 0 && p.order >= n })
}

func (m *Machine) join(e Join) {
	m.places = append(m.places, place{e.Place, e.Order, e.Slots, e.Meet})
	delete(m.room.left, e.Order)
	if m.limits.Aligned && m.state == Running {
		m.room.settled = m.wake(m.limits.Settle)
		return
	}
	m.reconsider(e.Place + " has joined")
}

func (m *Machine) wake(after time.Duration) int {
	m.room.woken++
	m.do(Wake{after, m.room.woken})
	return m.room.woken
}

func (m *Machine) woken(e Woken) {
	switch {
	case e.ID == m.room.settled && m.state == Running:
		m.reconsider(fmt.Sprintf("there are %d places now", m.slots()))
	case e.ID == m.room.look && m.state == Waiting:
		m.room.look = 0
		m.room.waited += lookAgain
		m.room.late = m.limits.Patience > 0 && m.room.waited >= m.limits.Patience
		m.begin()
	}
}

// wait waits for places, and tells for which: at once and, where they are aligned, again and again.
func (m *Machine) wait() {
	m.state = Waiting
	least := min(m.limits.Least, m.limits.Ranks)
	switch {
	case !m.limits.Aligned:
		m.do(Tell{fmt.Sprintf("%swaits for places: they have room for %d of at least %d ranks", m.because(), m.slots(),
			least)})
	case m.room.late:
		m.finish(Outcome{Alone: true, Why: fmt.Sprintf("waited for %s for %v", m.missing(), m.room.waited)})
	case m.room.look == 0:
		so := ""
		if m.room.waited > 0 {
			so = fmt.Sprintf(" (%v so far)", m.room.waited)
		}
		m.do(Tell{m.because() + "waits for " + m.missing() + so})
		m.room.look = m.wake(lookAgain)
	}
}

// missing names the places that are not there, in order.
func (m *Machine) missing() string {
	var all []string
	for order := 0; order < m.room.wanted; {
		last := order
		for last < m.room.wanted && !slices.ContainsFunc(m.places, func(p place) bool {
			return p.slots > 0 && p.order == last
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
