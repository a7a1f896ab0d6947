package supervise

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/launch"
)

// simulation simulates members, journal and workers for a state machine, with events in random order.
type simulation struct {
	t           *rapid.T
	machine     *StateMachine
	queue       []Event                 // events of the journal, members and timers that have not been handled yet
	workers     map[string]StartWorkers // [member]: the running workers
	ending      map[string]bool         // [member]: the exits of its workers are in queue
	slots       map[string]int          // [member]
	ordinals    map[string]int          // [member]
	epoch       uint64
	saved       int
	assignments []Assignment
	outcome     *Outcome
	clock       int64
}

// TestAnySchedule: for any events in any order, epochs only grow; workers of an epoch are started when all workers of
// the epoch before have ended, or their member is lost; each rank is started once, at a member with a slot for it, and
// at the member of its ordinal if members are aligned; the number of ranks is within its bounds; and after the last
// disturbance the run ends, or waits for members.
func TestAnySchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minRanks := rapid.IntRange(1, 3).Draw(t, "MinRanks")
		maxRanks := rapid.IntRange(minRanks, 6).Draw(t, "MaxRanks")
		limits := Limits{Ranks: maxRanks, MinRanks: minRanks, MaxRanks: maxRanks, Drain: time.Minute,
			Retries: rapid.IntRange(0, 3).Draw(t, "Retries"), Aligned: rapid.Bool().Draw(t, "Aligned")}
		if limits.Aligned {
			limits.InitialRanks = rapid.IntRange(minRanks, maxRanks).Draw(t, "InitialRanks")
			limits.WaitLimit = rapid.SampledFrom([]time.Duration{0, 3 * waitReportInterval}).Draw(t, "WaitLimit")
		}
		s := &simulation{t: t, workers: map[string]StartWorkers{}, ending: map[string]bool{}, slots: map[string]int{},
			ordinals: map[string]int{}, saved: -1, machine: NewStateMachine(limits)}
		for range rapid.IntRange(0, 60).Draw(t, "length") {
			s.disturb()
		}
		if len(s.slots) == 0 {
			s.join("last", 0, maxRanks)
		}
		for range 200 {
			if s.outcome != nil {
				break
			}
			s.proceed(true)
		}
		if s.outcome == nil && s.machine.State() != Waiting {
			t.Fatalf("the state after the last disturbance is %v, want over or waiting", s.machine.State())
		}
		if s.outcome != nil && len(s.workers) > 0 {
			t.Fatalf("the run is over, but workers run: %v", s.workers)
		}
	})
}

func (s *simulation) join(name string, ordinal, slots int) {
	if s.machine.limits.Aligned {
		slots = 1
	}
	s.slots[name], s.ordinals[name] = slots, ordinal
	s.handle(Join{Member: name, Slots: slots, Rendezvous: name + ":1", Ordinal: ordinal})
}

// disturb causes a random event.
func (s *simulation) disturb() {
	ordinal := rapid.IntRange(0, 3).Draw(s.t, "ordinal")
	name := fmt.Sprintf("p%d", ordinal)
	_, isMember := s.slots[name]
	switch rapid.IntRange(0, 10).Draw(s.t, "event") {
	case 0, 1:
		if !isMember {
			s.join(name, ordinal, rapid.IntRange(1, 3).Draw(s.t, "slots"))
		}
	case 2:
		if isMember {
			delete(s.slots, name)
			delete(s.workers, name)
			s.handle(Leave{name, "lost"})
		}
	case 10:
		if isMember { // it announces that it leaves
			s.slots[name] = 0
			s.handle(Slots{Member: name})
		}
	case 3:
		s.handle(ResizeRequest{Ranks: rapid.IntRange(0, 8).Draw(s.t, "ranks")})
	case 4, 5:
		if w, run := s.workers[name]; run && !s.ending[name] {
			s.end(w, -1, syscall.SIGKILL, false)
		}
	case 6:
		s.saved += rapid.IntRange(0, 1).Draw(s.t, "saved")
	case 7: // events of an earlier epoch
		s.handle(Exited{name, s.epoch - 1, launch.Exit{Code: -1, Signal: syscall.SIGKILL}})
		s.handle(AllExited{Member: name, Epoch: s.epoch - 1})
	default:
		s.proceed(false)
	}
}

// proceed handles an event of the queue. If the queue is empty and toEnd is set, all ranks complete the run.
func (s *simulation) proceed(toEnd bool) {
	if len(s.queue) > 0 {
		i := rapid.IntRange(0, len(s.queue)-1).Draw(s.t, "next")
		if _, raised := s.queue[i].(EpochRaised); !raised {
			i = 0 // events of a member arrive in order
		}
		e := s.queue[i]
		s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
		s.handle(e)
		return
	}
	if toEnd && s.machine.State() == Running {
		for _, w := range s.workers {
			s.end(w, 0, 0, false)
		}
	}
}

// end queues the same exit for all workers of a member.
func (s *simulation) end(w StartWorkers, code int, signal syscall.Signal, bySupervisor bool) {
	s.ending[w.Member] = true
	for rank := w.First; rank < w.First+w.Ranks; rank++ {
		s.clock++
		s.queue = append(s.queue, Exited{w.Member, w.Epoch, launch.Exit{Rank: rank, Code: code, Signal: signal,
			BySupervisor: bySupervisor, At: time.Unix(s.clock, 0)}})
	}
	s.queue = append(s.queue, AllExited{Member: w.Member, Epoch: w.Epoch, Rendezvous: w.Member + ":2"})
}

// handle passes an event to the state machine and executes its actions.
func (s *simulation) handle(e Event) {
	if all, ok := e.(AllExited); ok && s.workers[all.Member].Epoch == all.Epoch {
		delete(s.workers, all.Member)
	}
	for _, a := range s.machine.Step(e) {
		if s.outcome != nil {
			if _, ok := a.(ResizeReply); !ok {
				s.t.Fatalf("got action %T after Finish", a)
			}
		}
		s.execute(a)
	}
}

func (s *simulation) execute(a Action) {
	switch a := a.(type) {
	case RaiseEpoch:
		if len(s.workers) > 0 {
			s.t.Fatalf("the epoch is raised while workers run: %v", s.workers)
		}
		s.epoch++
		s.assignments = a.Assignments
		s.queue = append(s.queue, EpochRaised{Epoch: s.epoch, Saved: s.saved})
		next := 0
		for _, w := range a.Assignments {
			if w.First != next || w.Ranks < 1 || w.Ranks > s.slots[w.Member] {
				s.t.Fatalf("assignments %v do not fit slots %v", a.Assignments, s.slots)
			}
			if s.machine.limits.Aligned && (w.Ranks != 1 || s.ordinals[w.Member] != w.First) {
				s.t.Fatalf("rank %d is assigned to %s, of another ordinal", w.First, w.Member)
			}
			next += w.Ranks
		}
		if l := s.machine.limits; next < min(l.MinRanks, l.Ranks) || next > l.Ranks {
			s.t.Fatalf("%d ranks are outside the limits %+v", next, l)
		}
	case StartWorkers:
		if _, run := s.workers[a.Member]; run || a.Epoch != s.epoch {
			s.t.Fatalf("workers of epoch %d are started at %s in epoch %d, while %v run", a.Epoch, a.Member, s.epoch,
				s.workers)
		}
		if len(s.assignments) > 1 && a.Coordinator == "" {
			s.t.Fatalf("no coordinator for %d members", len(s.assignments))
		}
		s.workers[a.Member], s.ending[a.Member] = a, false
	case EndWorkers:
		w, run := s.workers[a.Member]
		switch {
		case !run || s.ending[a.Member] || w.Epoch != a.Epoch:
		case a.Drain:
			s.end(w, launch.ExitStopped, 0, false)
		case a.After == 0:
			s.end(w, -1, syscall.SIGKILL, true)
		default:
			s.end(w, launch.ExitPeerFailed, 0, false)
		}
	case SetTimer:
		s.queue = append(s.queue, TimerFired{a.ID})
	case Finish:
		s.outcome = &a.Outcome
	}
}
