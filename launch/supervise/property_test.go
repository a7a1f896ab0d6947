package supervise

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/launch"
)

// world plays places, journal and workers for a machine, in any order that they could take.
type world struct {
	t       *rapid.T
	machine *StateMachine
	waiting []Event                 // one of which happens next
	workers map[string]StartWorkers // at places, of the epoch that runs there
	ending  map[string]bool         // workers were told to end
	places  map[string]int          // slots
	orders  map[string]int
	epoch   uint64
	saved   int
	shares  []Assignment
	over    *Outcome
	clock   int64
}

// TestAnySchedule: whatever happens in whatever order, epochs only grow; ranks of one begin when those of the one
// before have ended, or their place is lost; each rank is started once, where there is room, and where it belongs if
// they are aligned; the number of ranks is within its bounds; and when nothing disturbs it any more, the run ends.
func TestAnySchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(1, 3).Draw(t, "least")
		most := rapid.IntRange(least, 6).Draw(t, "most")
		limits := Limits{Ranks: most, MinRanks: least, MaxRanks: most, Drain: time.Minute,
			Retries: rapid.IntRange(0, 3).Draw(t, "retries"), Aligned: rapid.Bool().Draw(t, "aligned")}
		if limits.Aligned {
			limits.InitialRanks = rapid.IntRange(least, most).Draw(t, "begin")
			limits.WaitLimit = rapid.SampledFrom([]time.Duration{0, 3 * waitReportInterval}).Draw(t, "patience")
		}
		w := &world{t: t, workers: map[string]StartWorkers{}, ending: map[string]bool{}, places: map[string]int{},
			orders: map[string]int{}, saved: -1, machine: NewStateMachine(limits)}
		for range rapid.IntRange(0, 60).Draw(t, "length") {
			w.disturb()
		}
		if len(w.places) == 0 {
			w.join("last", 0, most)
		}
		for range 200 {
			if w.over != nil {
				break
			}
			w.proceed(true)
		}
		if w.over == nil && w.machine.State() != Waiting {
			t.Fatalf("nothing disturbs the run, and it is still %v", w.machine.State())
		}
		if w.over != nil && len(w.workers) > 0 {
			t.Fatalf("it is over, and workers run: %v", w.workers)
		}
	})
}

func (w *world) join(name string, order, slots int) {
	if w.machine.limits.Aligned {
		slots = 1
	}
	w.places[name], w.orders[name] = slots, order
	w.take(Join{Member: name, Slots: slots, Rendezvous: name + ":1", Ordinal: order})
}

// disturb makes something happen.
func (w *world) disturb() {
	order := rapid.IntRange(0, 3).Draw(w.t, "place")
	name := fmt.Sprintf("p%d", order)
	_, there := w.places[name]
	switch rapid.IntRange(0, 10).Draw(w.t, "what") {
	case 0, 1:
		if !there {
			w.join(name, order, rapid.IntRange(1, 3).Draw(w.t, "slots"))
		}
	case 2:
		if there {
			delete(w.places, name)
			delete(w.workers, name)
			w.take(Leave{name, "lost"})
		}
	case 10:
		if there { // it leaves of its own accord
			w.places[name] = 0
			w.take(Slots{Member: name})
		}
	case 3:
		w.take(ResizeRequest{Ranks: rapid.IntRange(0, 8).Draw(w.t, "ranks")})
	case 4, 5:
		if s, runs := w.workers[name]; runs && !w.ending[name] {
			w.end(s, -1, syscall.SIGKILL, false)
		}
	case 6:
		w.saved += rapid.IntRange(0, 1).Draw(w.t, "saved")
	case 7:
		w.take(Exited{name, w.epoch - 1, launch.Exit{Code: -1, Signal: syscall.SIGKILL}}) // of long ago
		w.take(AllExited{Member: name, Epoch: w.epoch - 1})
	default:
		w.proceed(false)
	}
}

// proceed lets what is under way go on; at the end of the schedule runs end by themselves.
func (w *world) proceed(toEnd bool) {
	if len(w.waiting) > 0 {
		i := rapid.IntRange(0, len(w.waiting)-1).Draw(w.t, "next")
		if _, raised := w.waiting[i].(EpochRaised); !raised {
			i = 0 // what a place says comes in order
		}
		e := w.waiting[i]
		w.waiting = append(w.waiting[:i:i], w.waiting[i+1:]...)
		w.take(e)
		return
	}
	if toEnd && w.machine.State() == Running {
		for _, s := range w.workers {
			w.end(s, 0, 0, false)
		}
	}
}

// end makes all workers of a place end alike.
func (w *world) end(s StartWorkers, code int, signal syscall.Signal, ours bool) {
	w.ending[s.Member] = true
	for rank := s.First; rank < s.First+s.Ranks; rank++ {
		w.clock++
		w.waiting = append(w.waiting, Exited{s.Member, s.Epoch, launch.Exit{Rank: rank, Code: code, Signal: signal,
			BySupervisor: ours, At: time.Unix(w.clock, 0)}})
	}
	w.waiting = append(w.waiting, AllExited{Member: s.Member, Epoch: s.Epoch, Rendezvous: s.Member + ":2"})
}

func (w *world) take(e Event) {
	if done, is := e.(AllExited); is && w.workers[done.Member].Epoch == done.Epoch {
		delete(w.workers, done.Member)
	}
	for _, a := range w.machine.Step(e) {
		if w.over != nil {
			if _, is := a.(ResizeReply); !is {
				w.t.Fatalf("after the end it wants %T", a)
			}
		}
		w.carryOut(a)
	}
}

func (w *world) carryOut(a Action) {
	switch a := a.(type) {
	case RaiseEpoch:
		if len(w.workers) > 0 {
			w.t.Fatalf("the epoch is raised while workers run: %v", w.workers)
		}
		w.epoch++
		w.shares = a.Assignments
		w.waiting = append(w.waiting, EpochRaised{Epoch: w.epoch, Saved: w.saved})
		next := 0
		for _, s := range a.Assignments {
			if s.First != next || s.Ranks < 1 || s.Ranks > w.places[s.Member] {
				w.t.Fatalf("shares %v of places %v", a.Assignments, w.places)
			}
			if w.machine.limits.Aligned && (s.Ranks != 1 || w.orders[s.Member] != s.First) {
				w.t.Fatalf("rank %d runs at %s", s.First, s.Member)
			}
			next += s.Ranks
		}
		if l := w.machine.limits; next < min(l.MinRanks, l.Ranks) || next > l.Ranks {
			w.t.Fatalf("%d ranks: %+v", next, l)
		}
	case StartWorkers:
		if _, runs := w.workers[a.Member]; runs || a.Epoch != w.epoch {
			w.t.Fatalf("epoch %d is started at %s in epoch %d, over %v", a.Epoch, a.Member, w.epoch, w.workers)
		}
		if len(w.shares) > 1 && a.Coordinator == "" {
			w.t.Fatalf("%d places do not know where they meet", len(w.shares))
		}
		w.workers[a.Member], w.ending[a.Member] = a, false
	case EndWorkers:
		s, runs := w.workers[a.Member]
		switch {
		case !runs || w.ending[a.Member] || s.Epoch != a.Epoch:
		case a.Drain:
			w.end(s, launch.ExitStopped, 0, false)
		case a.After == 0:
			w.end(s, -1, syscall.SIGKILL, true)
		default:
			w.end(s, launch.ExitPeerFailed, 0, false)
		}
	case SetTimer:
		w.waiting = append(w.waiting, TimerFired{a.ID})
	case Finish:
		w.over = &a.Outcome
	}
}
