package supervise

import (
	"time"

	"github.com/atoll-hpc/atoll/launch"
)

// Event is an input of the state machine.
type Event interface{ event() }

type (
	// Join: a member has joined, with slots for ranks. Rendezvous is the host:port for the coordinator of an epoch whose
	// rank 0 runs at this member, "" if other machines cannot reach it. Ordinal is the number of an aligned member, else
	// 0.
	Join struct {
		Member     string
		Slots      int
		Rendezvous string
		Ordinal    int
	}
	// Slots: a member changes its number of slots, to 0 when it announces that it leaves.
	Slots struct {
		Member string
		Slots  int
	}
	// Leave: a member has left or was lost, and its workers with it.
	Leave struct{ Member, Reason string }
	// Exited: the process of a worker has exited.
	Exited struct {
		Member string
		Epoch  uint64
		Exit   launch.Exit
	}
	// AllExited: all workers of a member have exited. Rendezvous is the member's rendezvous for the next epoch.
	AllExited struct {
		Member     string
		Epoch      uint64
		Rendezvous string
	}
	// EpochRaised: the journal has stored the new epoch, or failed with Err. Saved is the step of the latest checkpoint,
	// -1 without one.
	EpochRaised struct {
		Epoch uint64
		Saved int
		Err   error
	}
	// ResizeRequest: a user requests another number of ranks.
	ResizeRequest struct {
		Ranks int
		ID    string // for the reply
	}
	// Stop: the user, or the system, wants the run to save its state and stop.
	Stop struct{}
	// TimerFired: the timer of a SetTimer with this ID has expired.
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

// Action is an output of the state machine, which the controller executes.
type Action interface{ action() }

type (
	// RaiseEpoch increments the epoch, and stores the assignments of ranks to members. The event EpochRaised follows.
	RaiseEpoch struct{ Assignments []Assignment }
	// StartWorkers starts the workers of an assignment. The event Exited follows for each of them, and then AllExited.
	StartWorkers struct {
		Assignment
		Size              int // ranks of all assignments
		Epoch, FirstEpoch uint64
		Coordinator       string // the coordinator's host:port, "" if this member runs all ranks
	}
	// EndWorkers ends the workers of a member: with Drain they get SIGTERM, save their state and stop; else they are
	// killed after the delay After, in which they may exit by themselves.
	EndWorkers struct {
		Member string
		Epoch  uint64
		Drain  bool
		After  time.Duration
	}
	// SetTimer sets a timer. The event TimerFired with the same ID follows.
	SetTimer struct {
		After time.Duration
		ID    int
	}
	// LogLine is a line for the log.
	LogLine struct{ Text string }
	// ResizeReply answers a ResizeRequest: Text is "", or the reason for its refusal.
	ResizeReply struct{ ID, Text string }
	// Finish ends the run. It is emitted once, after all workers have exited. Only ResizeReply may follow.
	Finish struct{ Outcome }
)

func (RaiseEpoch) action()   {}
func (StartWorkers) action() {}
func (EndWorkers) action()   {}
func (SetTimer) action()     {}
func (LogLine) action()      {}
func (ResizeReply) action()  {}
func (Finish) action()       {}

// Assignment assigns the ranks First … First+Ranks-1 to a member.
type Assignment struct {
	Member string `json:"place"`
	First  int    `json:"first"`
	Ranks  int    `json:"ranks"`
}

// Outcome is how a run has ended.
type Outcome struct {
	Exits          []launch.Exit // of the last epoch
	Stopped        bool          // the event Stop ended it
	Reason         string        // why it was given up, "" if it was not
	Faulty         bool          // files could not be written or read: it may be continued when that is mended
	MembersMissing bool          // it was given up because members were missing
	Err            error         // error of the journal
}
