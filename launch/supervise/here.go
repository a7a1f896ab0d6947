package supervise

import (
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// Host is a place that runs workers on this machine.
type Host struct {
	Name    string
	Slots   int                // how many ranks it can run
	Workers launch.LocalConfig // of all workers; Ranks and Args are not read
	Address string             // of this machine, at which ranks of others find those here; "" for none
	Meet    string             // host:port of it where ranks meet, "" for any port that is free
	Order   int                // see Limits.Aligned
	Works   func(bool)         // is told when workers run, and when none does any more; nil for nobody
}

func (h *Host) works(yes bool) {
	if h.Works != nil {
		h.Works(yes)
	}
}

// here runs workers for a conductor, in this process or elsewhere.
type here struct {
	Host
	send func(Event)

	lock    sync.Mutex
	workers *launch.Workers // of the epoch, nil between epochs
	epoch   uint64
	last    *launch.Workers // that have ended
	release func()          // of the port at which ranks could meet next; nil for none
}

func newHere(h Host, send func(Event)) *here { return &here{Host: h, send: send} }

func (h *here) join() Join { return Join{h.Name, h.Slots, h.meet(), h.Order} }

// meet reserves where ranks can meet in the next epoch. Where that cannot be, ranks of several machines do not meet,
// and say so.
func (h *here) meet() string {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.release != nil {
		h.release()
		h.release = nil
	}
	if h.Meet != "" || h.Address == "" {
		return h.Meet
	}
	address, release, err := launch.Reserve(h.Address)
	if err != nil {
		return ""
	}
	h.release = release
	return address
}

// close gives back what is reserved.
func (h *here) close() {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.release != nil {
		h.release()
		h.release = nil
	}
}

// start starts the workers of a share, and tells how they end.
func (h *here) start(s Start, args []string) {
	config := launch.WorkersConfig{LocalConfig: h.Workers, First: s.First, Size: s.Size, Epoch: s.Epoch, Began: s.Began,
		Coordinator: s.Coordinator}
	config.Ranks, config.Args = s.Ranks, args
	w, err := launch.StartWorkers(config)
	if err != nil {
		go func() { // the conductor, which may have called, is not to wait for itself
			h.send(Exited{h.Name, s.Epoch, launch.Exit{Rank: s.First, Code: 1, At: time.Now(),
				Report: &launch.Report{Rank: s.First, Text: err.Error()}}})
			h.send(Ended{h.Name, s.Epoch, h.meet()})
		}()
		return
	}
	h.lock.Lock()
	h.workers, h.epoch = w, s.Epoch
	h.lock.Unlock()
	h.works(true)
	go func() {
		for e := range w.Exits {
			h.send(Exited{h.Name, s.Epoch, e})
		}
		err := w.Close()
		h.works(false)
		h.lock.Lock()
		h.workers, h.last = nil, w
		h.lock.Unlock()
		if err != nil {
			h.send(told(err.Error()))
		}
		h.send(Ended{h.Name, s.Epoch, h.meet()})
	}()
}

func (h *here) end(e End) {
	h.lock.Lock()
	w := h.workers
	if h.epoch != e.Epoch {
		w = nil
	}
	h.lock.Unlock()
	switch {
	case w == nil: // they have just ended
	case e.Drain:
		w.Drain()
	default:
		w.Kill(e.After)
	}
}

// kill kills what runs.
func (h *here) kill() {
	h.lock.Lock()
	w := h.workers
	h.lock.Unlock()
	if w != nil {
		w.Kill(0)
	}
}

// finish shows what workers said that have failed.
func (h *here) finish(o Outcome) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.last != nil && !o.Stopped {
		_ = h.last.Show() // to a terminal that may be gone
	}
}
