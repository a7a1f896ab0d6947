package supervise

import (
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// LocalMember is a place that runs workers on this machine.
type LocalMember struct {
	Name       string
	Slots      int                // how many ranks it can run
	Workers    launch.LocalConfig // of all workers; Ranks and Args are not read
	Address    string             // of this machine, at which ranks of others find those here; "" for none
	Rendezvous string             // host:port of it where ranks meet, "" for any port that is free
	Ordinal    int                // see Limits.Aligned
	OnActive   func(bool)         // is told when workers run, and when none does any more; nil for nobody
}

func (h *LocalMember) setActive(yes bool) {
	if h.OnActive != nil {
		h.OnActive(yes)
	}
}

// localMember runs workers for a conductor, in this process or elsewhere.
type localMember struct {
	LocalMember
	send func(Event)

	lock     sync.Mutex
	workers  *launch.Workers // of the epoch, nil between epochs
	epoch    uint64
	previous *launch.Workers // that have ended
	release  func()          // of the port at which ranks could meet next; nil for none
}

func newLocalMember(h LocalMember, send func(Event)) *localMember {
	return &localMember{LocalMember: h, send: send}
}

func (h *localMember) join() Join { return Join{h.Name, h.Slots, h.reserveRendezvous(), h.Ordinal} }

// reserveRendezvous reserves where ranks can meet in the next epoch. Where that cannot be, ranks of several machines do
// not meet, and say so.
func (h *localMember) reserveRendezvous() string {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.release != nil {
		h.release()
		h.release = nil
	}
	if h.Rendezvous != "" || h.Address == "" {
		return h.Rendezvous
	}
	address, release, err := launch.ReservePort(h.Address)
	if err != nil {
		return ""
	}
	h.release = release
	return address
}

// close gives back what is reserved.
func (h *localMember) close() {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.release != nil {
		h.release()
		h.release = nil
	}
}

// start starts the workers of a share, and tells how they end.
func (h *localMember) start(s StartWorkers, args []string) {
	config := launch.WorkersConfig{LocalConfig: h.Workers, First: s.First, Size: s.Size, Epoch: s.Epoch,
		FirstEpoch:  s.FirstEpoch,
		Coordinator: s.Coordinator}
	config.Ranks, config.Args = s.Ranks, args
	w, err := launch.StartWorkers(config)
	if err != nil {
		go func() { // the conductor, which may have called, is not to wait for itself
			h.send(Exited{h.Name, s.Epoch, launch.Exit{Rank: s.First, Code: 1, At: time.Now(),
				Report: &launch.Report{Rank: s.First, Text: err.Error()}}})
			h.send(AllExited{h.Name, s.Epoch, h.reserveRendezvous()})
		}()
		return
	}
	h.lock.Lock()
	h.workers, h.epoch = w, s.Epoch
	h.lock.Unlock()
	h.setActive(true)
	go func() {
		for e := range w.Exits {
			h.send(Exited{h.Name, s.Epoch, e})
		}
		err := w.Close()
		h.setActive(false)
		h.lock.Lock()
		h.workers, h.previous = nil, w
		h.lock.Unlock()
		if err != nil {
			h.send(logged(err.Error()))
		}
		h.send(AllExited{h.Name, s.Epoch, h.reserveRendezvous()})
	}()
}

func (h *localMember) endWorkers(e EndWorkers) {
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
func (h *localMember) kill() {
	h.lock.Lock()
	w := h.workers
	h.lock.Unlock()
	if w != nil {
		w.Kill(0)
	}
}

// runOver shows what workers said that have failed.
func (h *localMember) runOver(o Outcome) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.previous != nil && !o.Stopped {
		_ = h.previous.Show() // to a terminal that may be gone
	}
}
