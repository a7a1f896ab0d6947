package supervise

import (
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// LocalMember configures the member of this process, which runs workers on this machine.
type LocalMember struct {
	Name       string
	Slots      int                // number of ranks that it can run
	Workers    launch.LocalConfig // configuration of the workers; Ranks and Args are not used
	Address    string             // host name or IP at which other machines reach this one; "" for none
	Rendezvous string             // host:port for the coordinator, "" for any free port at Address
	Ordinal    int                // see Limits.Aligned
	OnActive   func(bool)         // called with true when workers start, false when all have exited; nil for none
}

func (h *LocalMember) setActive(active bool) {
	if h.OnActive != nil {
		h.OnActive(active)
	}
}

// localMember runs workers for a controller in this process, or for one that a RemoteSupervisor is connected to.
type localMember struct {
	LocalMember
	send func(Event)

	lock     sync.Mutex
	workers  *launch.Workers // of the current epoch, nil between epochs
	epoch    uint64
	previous *launch.Workers // of the previous epoch
	release  func()          // frees the reserved port of the next rendezvous; nil for none
}

func newLocalMember(h LocalMember, send func(Event)) *localMember {
	return &localMember{LocalMember: h, send: send}
}

func (h *localMember) join() Join { return Join{h.Name, h.Slots, h.reserveRendezvous(), h.Ordinal} }

// reserveRendezvous reserves a port for the coordinator of the next epoch and returns its address. If no port is free
// it returns "": ranks on other machines then fail to connect, and report that.
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

// close frees the reserved port.
func (h *localMember) close() {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.release != nil {
		h.release()
		h.release = nil
	}
}

// start starts the workers of an assignment, and sends an event for each exit.
func (h *localMember) start(s StartWorkers, args []string) {
	config := launch.WorkersConfig{LocalConfig: h.Workers, First: s.First, Size: s.Size, Epoch: s.Epoch,
		FirstEpoch: s.FirstEpoch, Coordinator: s.Coordinator}
	config.Ranks, config.Args = s.Ranks, args
	w, err := launch.StartWorkers(config)
	if err != nil {
		go func() { // send would block if the caller is the controller, which receives the events
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
	case w == nil: // the workers have just ended
	case e.Drain:
		w.Drain()
	default:
		w.Kill(e.After)
	}
}

// kill kills the running workers.
func (h *localMember) kill() {
	h.lock.Lock()
	w := h.workers
	h.lock.Unlock()
	if w != nil {
		w.Kill(0)
	}
}

// runEnded prints the last output of workers that failed, unless the run was stopped.
func (h *localMember) runEnded(o Outcome) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.previous != nil && !o.Stopped {
		_ = h.previous.ShowOutput() // fails if the terminal is closed
	}
}
