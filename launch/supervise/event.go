package supervise

import (
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// Event is what has happened.
type Event interface{ event() }

type (
	// Join is that a place has come, which can run so many ranks. Meet is host:port where ranks can meet there, "" where
	// no other machine reaches it. Order is its own among aligned places, 0 for others.
	Join struct {
		Member     string
		Slots      int
		Rendezvous string
		Ordinal    int
	}
	// Slots is that a place can run so many ranks from now on, 0 for one that wants to go when it may.
	Slots struct {
		Member string
		Slots  int
	}
	// Leave is that a place has gone, its workers with it.
	Leave struct{ Member, Reason string }
	// Exited is that a worker has ended.
	Exited struct {
		Member string
		Epoch  uint64
		Exit   launch.Exit
	}
	// AllExited is that all workers of a place have ended, which can meet others at another address from now on.
	AllExited struct {
		Member     string
		Epoch      uint64
		Rendezvous string
	}
	// EpochRaised is that the journal has another epoch, and that the state is saved after so many steps, -1 if it is not.
	EpochRaised struct {
		Epoch uint64
		Saved int
		Err   error
	}
	// ResizeRequest is that somebody wants another number of ranks.
	ResizeRequest struct {
		Ranks int
		ID    string // of the question, for the answer
	}
	// Stop is that the run is to stop with its state saved.
	Stop struct{}
	// TimerFired answers Wake.
	TimerFired struct{ ID int }
)

func (Join) event()          {}
func (Slots) event()         {}
func (Leave) event()         {}
func (Exited) event()        {}
func (AllExited) event()     {}
func (EpochRaised) event()   {}
func (ResizeRequest) event() {}
func (Stop) event()          {}
func (TimerFired) event()    {}

// Action is what is to be done.
type Action interface{ action() }

type (
	// RaiseEpoch makes the epoch grow by one, with the members of the next one. Raised answers.
	RaiseEpoch struct{ Assignments []Assignment }
	// StartWorkers starts the workers of a share. Exited, of each, and then Ended answer.
	StartWorkers struct {
		Assignment
		Size              int // ranks of all shares
		Epoch, FirstEpoch uint64
		Coordinator       string // host:port where the ranks meet, "" if all are at this place
	}
	// EndWorkers ends the workers of a place: Drain tells them to save their state and stop, else they are killed after a
	// time.
	EndWorkers struct {
		Member string
		Epoch  uint64
		Drain  bool
		After  time.Duration
	}
	// SetTimer asks for Woken after a time.
	SetTimer struct {
		After time.Duration
		ID    int
	}
	// LogLine tells whoever watches the run.
	LogLine struct{ Text string }
	// ResizeReply answers an Ask: with "", or why it is refused.
	ResizeReply struct{ ID, Text string }
	// Finish ends the run. It comes once, last, when no worker is left.
	Finish struct{ Outcome }
)

func (RaiseEpoch) action()   {}
func (StartWorkers) action() {}
func (EndWorkers) action()   {}
func (SetTimer) action()     {}
func (LogLine) action()      {}
func (ResizeReply) action()  {}
func (Finish) action()       {}

// Assignment is the ranks First … First+Ranks-1, which a place runs.
type Assignment struct {
	Member string `json:"place"`
	First  int    `json:"first"`
	Ranks  int    `json:"ranks"`
}

// Outcome is how a run has ended.
type Outcome struct {
	Exits          []launch.Exit // of the last epoch
	Stopped        bool          // it was told to stop
	Reason         string        // it was given up, "" where Exits tell all,
	MembersMissing bool          // since places were missing
	Err            error         // of the journal
}
