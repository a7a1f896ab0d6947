package supervise

import (
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// LocalMember describes the member that this process is, which runs workers on this machine.
type LocalMember struct {
	Name       string
	Slots      int                // how many ranks it can run
	Workers    launch.LocalConfig // of all workers; Ranks and Args are not read
	Address    string             // of this machine, at which ranks elsewhere reach those here; "" for none
	Rendezvous string             // host:port of it where ranks meet, "" for any free port
	Ordinal    int                // see Limits.Aligned
	OnActive   func(bool)         // is called when workers start, and when all have exited; nil for none
}

func (h *LocalMember) setActive(yes bool) {
	if h.OnActive != nil {
		h.OnActive(yes)
	}
}

// localMember runs workers for a controller, in this process or elsewhere.
type localMember struct {
	LocalMember
	send func(Event)

	lock     sync.Mutex
	workers  *launch.Workers // of the epoch, nil between epochs
	epoch    uint64
	previous *launch.Workers // those of the epoch before
	release  func()          // frees the port that is reserved as the next rendezvous; nil for none
}

func newLocalMember(h LocalMember, send func(Event)) *localMember {
	return &localMember{LocalMember: h, send: send}
}

func (h *localMember) join() Join { return Join{h.Name, h.Slots, h.reserveRendezvous(), h.Ordinal} }

// reserveRendezvous reserves a port at which ranks can meet in the next epoch. Where none can be had, ranks of several
// machines do not find each other, and report that.
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

// close frees the port that is reserved.
func (h *localMember) close() {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.release != nil {
		h.release()
		h.release = nil
	}
}

// start starts the workers of an assignment, and sends how they exit.
func (h *localMember) start(s StartWorkers, args []string) {
	config := launch.WorkersConfig{LocalConfig: h.Workers, First: s.First, Size: s.Size, Epoch: s.Epoch,
		FirstEpoch:  s.FirstEpoch,
		Coordinator: s.Coordinator}
	config.Ranks, config.Args = s.Ranks, args
	w, err := launch.StartWorkers(config)
	if err != nil {
		go func() { // the controller may be the caller, and must not wait for itself
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

// kill kills the workers that run.
func (h *localMember) kill() {
	h.lock.Lock()
	w := h.workers
	h.lock.Unlock()
	if w != nil {
		w.Kill(0)
	}
}

// runEnded prints the last output of workers that have failed.
func (h *localMember) runEnded(o Outcome) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.previous != nil && !o.Stopped {
		_ = h.previous.ShowOutput() // to a terminal that may be gone
	}
}
