package supervise

import "time"

// Limits bound a run: its ranks, and how often and how long it is tried again.
type Limits struct {
	Ranks    int // how many there should be
	MinRanks int // with how many it continues while members are missing; Ranks if it waits for them
	MaxRanks int // how many may be requested, 0 for as many as there are slots
	// losses in succession, without a later checkpoint in between, that are followed by another epoch
	Retries       int
	RetryFailures bool          // a failure that a rank reports of itself is followed by another epoch too
	Drain         time.Duration // to stop with the state saved

	// Aligned has rank R run at the member of ordinal R, as in pods, each of which has the name and the certificate of
	// one rank. The number of members then is the number of ranks: from MinRanks to Ranks, InitialRanks at first.
	Aligned      bool
	InitialRanks int
	JoinDelay    time.Duration // from when a member joins until ranks are assigned to it: others may join meanwhile
	WaitLimit    time.Duration // how long to wait for members, 0 for ever
}

// State is what the state machine waits for; the package comment has the transitions.
type State uint8

const (
	Waiting State = iota // for members with enough slots
	Raising              // for the journal to have the next epoch
	Running              // for workers to exit, or a reason to end them
	Ending               // for all workers to exit
	Over                 // for nothing: the run is done, stopped or given up
)

func (s State) String() string {
	return [...]string{"waiting", "raising", "running", "ending", "over"}[s]
}
