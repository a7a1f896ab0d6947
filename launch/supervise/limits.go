package supervise

import "time"

// Limits bound a run: its number of ranks, and how often it is restarted.
type Limits struct {
	Ranks    int // desired number of ranks
	MinRanks int // least number of ranks with which the run continues while members are missing
	MaxRanks int // largest number that a ResizeRequest may have, 0 for the number of slots
	// largest number of epochs in succession that may end in a loss without a new checkpoint
	Retries       int
	RetryFailures bool          // another epoch is started also after a failure that a rank reports of itself
	Drain         time.Duration // time for workers to save their state and stop

	// With Aligned, rank R runs at the member of ordinal R, as in pods, each of which has the name and the certificate
	// of one rank. The number of ranks is then the number of members, from MinRanks to Ranks; the first epoch has
	// InitialRanks.
	Aligned      bool
	InitialRanks int
	JoinDelay    time.Duration // time after a Join before ranks are assigned, in which more members may join
	WaitLimit    time.Duration // how long to wait for missing members, 0 for no limit
}

// State is a state of the state machine; the package comment has the transitions.
type State uint8

const (
	Waiting State = iota // too few slots: waits for members
	Raising              // the journal increments and stores the epoch
	Running              // workers run
	Ending               // workers have been ended, and some have not exited yet
	Over                 // the run is done, stopped or given up
)

func (s State) String() string {
	return [...]string{"waiting", "raising", "running", "ending", "over"}[s]
}
