package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// identity is what ranks tell each other before they start.
type identity struct {
	Build, Case string
	Error       string // why the rank cannot start
}

// agree lets no rank start unless all run the same program on the same case. bad is why this rank cannot.
func (r *rank) agree(ctx context.Context, comm dist.Comm, c *config.Case, bad error) error {
	own := identity{Build: summary.BuildID()}
	if bad != nil {
		own.Error = bad.Error()
	} else {
		own.Case = c.Hash()
	}
	text, err := json.Marshal(own)
	if err != nil {
		return err
	}
	all, err := comm.Allgatherv(ctx, text)
	if err != nil {
		return err
	}
	others := make([]identity, len(all))
	for rank, text := range all {
		if err := json.Unmarshal(text, &others[rank]); err != nil {
			return &dist.PeerError{Rank: rank, Err: err}
		}
	}
	return mismatch(others, comm.Rank(), bad)
}

// mismatch is the error that keeps a rank from starting; bad is its own.
func mismatch(all []identity, rank int, bad error) error {
	for r, i := range all {
		if i.Error != "" {
			return failed(r, i.Error, rank, bad)
		}
	}
	for r, i := range all {
		switch {
		case i.Build != all[0].Build:
			return &sharedError{usageError{fmt.Errorf("rank %d runs another program than rank 0: %s, not %s", r, i.Build,
				all[0].Build)}, 0}
		case i.Case != all[0].Case:
			return &sharedError{usageError{fmt.Errorf("rank %d has another case than rank 0: "+
				"is the file the same on all machines?",
				r)}, 0}
		}
	}
	return nil
}

// agreed makes an error of one rank the error of all: of the lowest rank that has one.
func agreed(ctx context.Context, comm dist.Comm, own error) error {
	rank, text, err := dist.FirstError(ctx, comm, own)
	switch {
	case err != nil:
		return err
	case rank < 0:
		return nil
	}
	return failed(rank, text, comm.Rank(), own)
}

// failed is the error of all where a rank has one; own is this rank's.
func failed(rank int, text string, mine int, own error) error {
	if rank == mine {
		return &sharedError{own, rank}
	}
	return &sharedError{badInput(fmt.Errorf("rank %d: %s", rank, text)), rank}
}

// sharedError is an error that all ranks have, and that one of them tells.
type sharedError struct {
	error
	reporter int
}

func (e *sharedError) Unwrap() error { return e.error }

// rankFailure is the error of a rank that is a process of its own, beside others that write to the same place.
type rankFailure struct {
	error
	env launch.Environment
	all bool // every rank is to tell
}

func (e *rankFailure) Unwrap() error { return e.error }

// failure says whose error it is, for ranks that a launcher has started.
func (r *rank) failure(err error) error {
	if err == nil || r.env.Launcher == launch.None {
		return err
	}
	return &rankFailure{err, r.env, r.logRanks}
}

// shouldPrint reports whether this rank should print its error. What all ranks know alike one of them prints; a rank
// that only followed another into failure leaves the word to rank 0, or to rank 1 when rank 0 is the one that was lost.
func (e *rankFailure) shouldPrint(stopped bool) bool {
	var alike *sharedError
	var lost *dist.PeerError
	var abort *dist.AbortError
	var bad *solvers.BadInput
	var usage usageError
	rank := e.env.Rank
	if e.env.Epoch > 0 && (e.followed(stopped) || stopped || errors.As(e.error, new(*run.Stopped))) {
		return e.all // the supervisor tells
	}
	if e.env.Launcher == launch.Atoll && !errors.As(e.error, &alike) && !errors.As(e.error, &bad) {
		return !stopped || rank == 0 // of the rest the parent shows what a reader needs
	}
	switch {
	case e.all:
		return true
	case errors.As(e.error, &alike):
		return rank == alike.reporter
	case errors.As(e.error, &lost) && lost.Rank != rank:
		return rank == 0 || rank == 1 && lost.Rank == 0
	case errors.As(e.error, &abort) && abort.Rank != rank:
		return rank == 0
	case stopped, errors.As(e.error, &bad), errors.As(e.error, &usage):
		return rank == 0
	}
	return true
}

// awaitSignal gives the signal that may have ended another rank the time to come here too: it reaches one rank after
// the other.
func (e *rankFailure) awaitSignal(ctx context.Context) {
	var lost *dist.PeerError
	var abort *dist.AbortError
	if errors.As(e.error, &lost) || errors.As(e.error, &abort) {
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// prefix names the rank, unless the parent does.
func (e *rankFailure) prefix() string {
	if e.env.Launcher == launch.Atoll {
		return ""
	}
	return fmt.Sprintf("[rank %d] ", e.env.Rank)
}

// cause is what a worker tells its supervisor of its failure: which rank failed, and whether it was lost.
func (e *rankFailure) cause() launch.Report {
	var peer *dist.PeerError
	var abort *dist.AbortError
	var over *folder.EpochOver
	switch {
	case errors.As(e.error, &peer):
		return launch.Report{Rank: peer.Rank, Lost: errors.Is(peer, dist.ErrPeerLost), Text: peer.Err.Error()}
	case errors.As(e.error, &abort):
		return launch.Report{Rank: abort.Rank, Text: abort.Cause}
	case errors.As(e.error, &over):
		return launch.Report{Rank: e.env.Rank, Lost: true, Text: over.Error()}
	case errors.Is(e.error, context.DeadlineExceeded),
		errors.Is(e.error, syscall.EADDRINUSE): // it was not started where it could meet the others
		return launch.Report{Rank: e.env.Rank, Lost: true, Text: e.Error()}
	}
	return launch.Report{Rank: e.env.Rank, Text: e.Error()}
}

// followed reports whether a worker fails because another rank was lost or has failed. One that was told to stop may
// see others go, which means nothing.
func (e *rankFailure) followed(stopped bool) bool {
	if e.env.Epoch == 0 || stopped {
		return false
	}
	c := e.cause()
	return c.Lost || c.Rank != e.env.Rank
}

// leaveReport leaves the cause for the supervisor, or where a worker has saved its state and stopped. One that cannot
// be left is missing from what that says, and nothing else.
func (e *rankFailure) leaveReport(stopped bool) {
	var saved *run.Stopped
	switch {
	case errors.As(e.error, &saved):
		_ = e.env.LeaveReport(launch.Report{Rank: e.env.Rank, Text: saved.Error()})
	case !stopped:
		_ = e.env.LeaveReport(e.cause())
	}
}

// stopped means that a supervised run was told to stop, or that its time limit was reached.
type stopped struct {
	error // of the ranks
	text  string
	code  int
}

func (e *stopped) Unwrap() error { return e.error }

// stoppedError is the error of a run of which the ranks did as they were told, and that of the ranks where they did
// not. saved tells that there is a state to continue from, whatever they had come to.
func stoppedError(exits []launch.Exit, saved bool, err error) error {
	var failure *launch.RankError
	if !errors.As(err, &failure) {
		return err
	}
	text := "stopped by a signal"
	for _, e := range exits {
		switch {
		case e.Code == exitSaved && e.Report != nil:
			text = e.Report.Text + savedText
		case e.Code != exitDone && e.Code != exitSaved && e.Code != exitFailed && !(e.BySupervisor &&
			e.Signal == syscall.SIGTERM):
			return err
		}
	}
	code := launch.ExitCode(err)
	if saved && code != exitSaved { // it was stopped while it began anew
		code, text = exitSaved, text+savedText
	}
	return &stopped{err, text, code}
}

// savedText follows what tells where a run was.
const savedText = "; its state is saved, and the same command continues from there"
