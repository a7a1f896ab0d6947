package supervise

import (
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// Event is something that has happened: an input of the state machine.
type Event interface{ event() }

type (
	// Join: a member has joined, with Slots for ranks. Rendezvous is the host:port at which ranks of several members
	// can meet there, "" if no other machine reaches it. Ordinal is its number among aligned members, 0 for others.
	Join struct {
		Member     string
		Slots      int
		Rendezvous string
		Ordinal    int
	}
	// Slots: a member offers another number of slots from now on, 0 when it wants to leave.
	Slots struct {
		Member string
		Slots  int
	}
	// Leave: a member is gone, and its workers with it.
	Leave struct{ Member, Reason string }
	// Exited: the process of a worker has exited.
	Exited struct {
		Member string
		Epoch  uint64
		Exit   launch.Exit
	}
	// AllExited: all workers of a member have exited. Rendezvous is its next one.
	AllExited struct {
		Member     string
		Epoch      uint64
		Rendezvous string
	}
	// EpochRaised: the journal has the new epoch, or Err. Saved is the step of the latest checkpoint, -1 without one.
	EpochRaised struct {
		Epoch uint64
		Saved int
		Err   error
	}
	// ResizeRequest: a user asks for another number of ranks.
	ResizeRequest struct {
		Ranks int
		ID    string // for the reply
	}
	// Stop: the run is to save its state and stop.
	Stop struct{}
	// TimerFired follows SetTimer.
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

// Action is something to be done: an output of the state machine.
type Action interface{ action() }

type (
	// RaiseEpoch increments the epoch, and records who runs which ranks in it. EpochRaised follows.
	RaiseEpoch struct{ Assignments []Assignment }
	// StartWorkers starts the workers of an assignment. Exited follows for each, and then AllExited.
	StartWorkers struct {
		Assignment
		Size              int // ranks of all assignments
		Epoch, FirstEpoch uint64
		Coordinator       string // host:port where the ranks meet, "" if this member runs all of them
	}
	// EndWorkers ends the workers of a member: with Drain they are told to save their state and stop, else they are killed
	// after a time.
	EndWorkers struct {
		Member string
		Epoch  uint64
		Drain  bool
		After  time.Duration
	}
	// SetTimer asks for TimerFired with the same ID after a time.
	SetTimer struct {
		After time.Duration
		ID    int
	}
	// LogLine is a line for the log.
	LogLine struct{ Text string }
	// ResizeReply answers a ResizeRequest: Text is "", or why it is refused.
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

// Assignment says that a member runs the ranks First … First+Ranks-1.
type Assignment struct {
	Member string `json:"place"`
	First  int    `json:"first"`
	Ranks  int    `json:"ranks"`
}

// Outcome is how a run has ended.
type Outcome struct {
	Exits          []launch.Exit // of the last epoch
	Stopped        bool          // it was told to stop
	Reason         string        // why it was given up, "" where Exits say all
	MembersMissing bool          // it was given up since members were missing
	Err            error         // of the journal
}
