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
		Place string
		Slots int
		Meet  string
		Order int
	}
	// Slots is that a place can run so many ranks from now on, 0 for one that wants to go when it may.
	Slots struct {
		Place string
		Slots int
	}
	// Leave is that a place has gone, its workers with it.
	Leave struct{ Place, Why string }
	// Exited is that a worker has ended.
	Exited struct {
		Place string
		Epoch uint64
		Exit  launch.Exit
	}
	// Ended is that all workers of a place have ended, which can meet others at another address from now on.
	Ended struct {
		Place string
		Epoch uint64
		Meet  string
	}
	// Raised is that the journal has another epoch, and that the state is saved after so many steps, -1 if it is not.
	Raised struct {
		Epoch uint64
		Saved int
		Err   error
	}
	// Ask is that somebody wants another number of ranks.
	Ask struct {
		Ranks int
		ID    string // of the question, for the answer
	}
	// Stop is that the run is to stop with its state saved.
	Stop struct{}
	// Woken answers Wake.
	Woken struct{ ID int }
)

func (Join) event()   {}
func (Slots) event()  {}
func (Leave) event()  {}
func (Exited) event() {}
func (Ended) event()  {}
func (Raised) event() {}
func (Ask) event()    {}
func (Stop) event()   {}
func (Woken) event()  {}

// Action is what is to be done.
type Action interface{ action() }

type (
	// Raise makes the epoch grow by one, with the members of the next one. Raised answers.
	Raise struct{ Shares []Share }
	// Start starts the workers of a share. Exited, of each, and then Ended answer.
	Start struct {
		Share
		Size         int // ranks of all shares
		Epoch, Began uint64
		Coordinator  string // host:port where the ranks meet, "" if all are at this place
	}
	// End ends the workers of a place: Drain tells them to save their state and stop, else they are killed after a time.
	End struct {
		Place string
		Epoch uint64
		Drain bool
		After time.Duration
	}
	// Wake asks for Woken after a time.
	Wake struct {
		After time.Duration
		ID    int
	}
	// Tell tells whoever watches the run.
	Tell struct{ Text string }
	// Answer answers an Ask: with "", or why it is refused.
	Answer struct{ ID, Text string }
	// Finish ends the run. It comes once, last, when no worker is left.
	Finish struct{ Outcome }
)

func (Raise) action()  {}
func (Start) action()  {}
func (End) action()    {}
func (Wake) action()   {}
func (Tell) action()   {}
func (Answer) action() {}
func (Finish) action() {}

// Share is the ranks First … First+Ranks-1, which a place runs.
type Share struct {
	Place string `json:"place"`
	First int    `json:"first"`
	Ranks int    `json:"ranks"`
}

// Outcome is how a run has ended.
type Outcome struct {
	Exits   []launch.Exit // of the last epoch
	Stopped bool          // it was told to stop
	Why     string        // it was given up, "" where Exits tell all,
	Alone   bool          // since places were missing
	Err     error         // of the journal
}
