package supervise

import "time"

// Limits are what a run may do.
type Limits struct {
	Ranks         int           // how many there are to be
	MinRanks      int           // with how many it goes on where places are missing, Ranks if it does not
	MaxRanks      int           // how many may be asked for, 0 for as many as there are slots
	Retries       int           // losses in succession, without a later checkpoint in between, after which it goes on
	RetryFailures bool          // goes on also after a failure that a rank tells of itself
	Drain         time.Duration // to stop with the state saved

	// Aligned has rank R run at the place of order R, as in pods, of which each has the name and the certificate of one
	// rank. How many places there are then says how many ranks: from Least to Ranks of them, Begin at first.
	Aligned      bool
	InitialRanks int
	JoinDelay    time.Duration // from when a place joins until it is taken in: others may come with it
	WaitLimit    time.Duration // to wait for places, 0 for ever
}

// State is what a machine waits for.
type State uint8

const (
	Waiting State = iota // for places
	Raising              // for the journal
	Running              // for something to happen
	Ending               // for workers to end
	Over
)

func (s State) String() string {
	return [...]string{"waiting", "raising", "running", "ending", "over"}[s]
}
