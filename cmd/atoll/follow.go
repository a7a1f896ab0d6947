package main

import (
	"errors"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/folder"
)

// cause is what a worker tells its supervisor of its failure: which rank failed, and whether it was lost.
func (e *rankFailure) cause() launch.Report {
	var peer *dist.PeerError
	var abort *dist.AbortError
	switch {
	case errors.As(e.error, &peer):
		return launch.Report{Rank: peer.Rank, Lost: errors.Is(peer, dist.ErrPeerLost), Text: peer.Err.Error()}
	case errors.As(e.error, &abort):
		return launch.Report{Rank: abort.Rank, Text: abort.Cause}
	case errors.As(e.error, new(*folder.EpochOver)):
		return launch.Report{Rank: e.place.Rank, Lost: true, Text: e.Error()}
	}
	return launch.Report{Rank: e.place.Rank, Text: e.Error()}
}

// followed tells whether a worker fails because another rank was lost or has failed. One that was told to stop may see
// others go, which means nothing.
func (e *rankFailure) followed(stopped bool) bool {
	if e.place.Epoch == 0 || stopped {
		return false
	}
	c := e.cause()
	return c.Lost || c.Rank != e.place.Rank
}

// tell leaves the cause for the supervisor, or where a worker has saved its state and stopped. One that cannot be left
// is missing from what that says, and nothing else.
func (e *rankFailure) tell(stopped bool) {
	var saved *run.Stopped
	switch {
	case errors.As(e.error, &saved):
		_ = e.place.Tell(launch.Report{Rank: e.place.Rank, Text: saved.Error()})
	case !stopped:
		_ = e.place.Tell(e.cause())
	}
}

// stopped is that a supervised run was told to stop, or that its time was up.
type stopped struct {
	error // of the ranks
	text  string
}

func (e *stopped) Unwrap() error { return e.error }

// stoppedRun is the error of a run of which the ranks did as they were told, and that of the ranks where they did not.
func stoppedRun(exits []launch.Exit, err error) error {
	var failure *launch.RankError
	if !errors.As(err, &failure) || failure.Signal != 0 || failure.Code != exitSaved && failure.Code != exitFailed {
		return err
	}
	text := "stopped by a signal"
	for _, e := range exits {
		if e.Code == exitSaved && e.Report != nil {
			text = e.Report.Text + savedText
		}
	}
	return &stopped{err, text}
}

// savedText follows what tells where a run was.
const savedText = "; its state is saved, and the same command goes on from there"
