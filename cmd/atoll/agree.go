package main

import (
	"context"
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

// agree returns an error on every rank unless all ranks run the same build on the same case. bad is the error of
// this rank, nil if it can start.
func (r *rank) agree(ctx context.Context, comm dist.Comm, c *config.Case, bad error) error {
	if err := firstError(ctx, comm, bad); err != nil {
		return err
	}
	for _, what := range []struct{ own, differs string }{
		{summary.BuildID(), "rank %d runs another build than rank 0: %s, not %s"},
		{c.Hash(), differentCase},
	} {
		if err := agreeOn(ctx, comm, what.own, what.differs); err != nil {
			return err
		}
	}
	return nil
}

const differentCase = "rank %d has another case than rank 0: is the file the same on all machines? (%s, not %s)"

// agreeOn returns an error on every rank unless all pass the same text. differs is the format of its message, with a
// rank that passes another one than rank 0, and both texts.
func agreeOn(ctx context.Context, comm dist.Comm, own, differs string) error {
	first, err := dist.TextOf(ctx, comm, 0, own)
	if err != nil {
		return err
	}
	text := ""
	if own != first {
		text = fmt.Sprintf(differs, comm.Rank(), own, first)
	}
	_, text, err = dist.FirstText(ctx, comm, text)
	if err == nil && text != "" {
		err = &sharedError{usageError{errors.New(text)}, 0}
	}
	return err
}

// firstError returns the error of the lowest rank that has one, on all ranks. own is the error of this rank.
func firstError(ctx context.Context, comm dist.Comm, own error) error {
	rank, text, err := dist.FirstError(ctx, comm, own)
	switch {
	case err != nil:
		return err
	case rank < 0:
		return nil
	}
	return shareError(rank, text, comm.Rank(), own)
}

// shareError returns the shared error for the error text of a rank; own is the error of this rank, thisRank.
func shareError(rank int, text string, thisRank int, own error) error {
	if rank == thisRank {
		return &sharedError{own, rank}
	}
	return &sharedError{badInput(fmt.Errorf("rank %d: %s", rank, text)), rank}
}

// sharedError is an error that all ranks return and that only the rank reporter prints.
type sharedError struct {
	error
	reporter int
}

func (e *sharedError) Unwrap() error { return e.error }

// rankFailure is the error of a rank that runs as a process. Other ranks write to the same standard error, so that
// not each of them prints it.
type rankFailure struct {
	error
	env      launch.Environment
	allPrint bool // every rank prints its error
}

func (e *rankFailure) Unwrap() error { return e.error }

// failure wraps err with the rank, if a launcher has started this process.
func (r *rank) failure(err error) error {
	if err == nil || r.env.Launcher == launch.None {
		return err
	}
	return &rankFailure{err, r.env, r.logRanks}
}

// shouldPrint reports whether this rank prints its error. An error that all ranks share is printed by one of them.
// If a rank fails because another one failed, only rank 0 prints, or rank 1 if rank 0 is the lost one.
func (e *rankFailure) shouldPrint(stopped bool) bool {
	var shared *sharedError
	var lost *dist.PeerError
	var abort *dist.AbortError
	var bad *solvers.BadInput
	var usage usageError
	rank := e.env.Rank
	if e.env.Epoch > 0 && (e.isConsequence(stopped) || stopped || errors.As(e.error, new(*run.Stopped))) {
		return e.allPrint // the supervisor prints it
	}
	if e.env.Launcher == launch.Atoll && !errors.As(e.error, &shared) && !errors.As(e.error, &bad) &&
		!errors.As(e.error, &usage) {
		return !stopped || rank == 0 // the launcher prints the other errors
	}
	switch {
	case e.allPrint:
		return true
	case errors.As(e.error, &shared):
		return rank == shared.reporter
	case errors.As(e.error, &lost) && lost.Rank != rank:
		return rank == 0 || rank == 1 && lost.Rank == 0
	case errors.As(e.error, &abort) && abort.Rank != rank:
		return rank == 0
	case stopped, errors.As(e.error, &bad), errors.As(e.error, &usage):
		return rank == 0
	}
	return true
}

// awaitSignal waits briefly after the loss of another rank: a signal to all ranks reaches them one after the other,
// and may arrive here next.
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

// prefix names the rank, unless the launcher does.
func (e *rankFailure) prefix() string {
	if e.env.Launcher == launch.Atoll {
		return ""
	}
	return fmt.Sprintf("[rank %d] ", e.env.Rank)
}

// cause returns the report of a failed worker to its supervisor: which rank failed, and whether it was lost.
func (e *rankFailure) cause() launch.Report {
	var peer *dist.PeerError
	var abort *dist.AbortError
	var over *folder.EpochOver
	switch {
	case errors.As(e.error, &peer):
		return launch.Report{Rank: peer.Rank, Lost: errors.Is(peer, dist.ErrPeerLost), Text: peer.Err.Error()}
	case errors.As(e.error, &abort):
		return launch.Report{Rank: abort.Rank, Fault: run.IsFault(abort), Text: abort.Cause}
	case errors.As(e.error, &over):
		return launch.Report{Rank: e.env.Rank, Lost: true, Text: over.Error()}
	case errors.Is(e.error, context.DeadlineExceeded),
		errors.Is(e.error, syscall.EADDRINUSE): // it could not reach the other ranks
		return launch.Report{Rank: e.env.Rank, Lost: true, Text: e.Error()}
	}
	return launch.Report{Rank: e.env.Rank, Fault: run.IsFault(e.error), Text: e.Error()}
}

// isConsequence reports whether a worker failed because another rank was lost or failed. A worker that was stopped
// sees other ranks disconnect; that is no failure.
func (e *rankFailure) isConsequence(stopped bool) bool {
	if e.env.Epoch == 0 || stopped {
		return false
	}
	c := e.cause()
	return c.Lost || c.Rank != e.env.Rank
}

// leaveReport writes the report for the supervisor: the cause of a failure, or the time at which the worker saved
// its state and stopped. Errors are ignored: the report only adds detail to the message of the supervisor.
func (e *rankFailure) leaveReport(stopped bool) {
	var saved *run.Stopped
	switch {
	case errors.As(e.error, &saved):
		_ = e.env.WriteReport(launch.Report{Rank: e.env.Rank, Text: saved.Error()})
	case !stopped:
		_ = e.env.WriteReport(e.cause())
	}
}

// stopError is the end of a supervised run by a signal or its time limit.
type stopError struct {
	error // of the ranks
	text  string
	code  int
}

func (e *stopError) Unwrap() error { return e.error }

// newStopError returns the error of a stopped run: *stopError if the ranks ended as asked, otherwise the error of
// the ranks. saved says that there is a checkpoint to continue from, even if no rank reported one.
func newStopError(exits []launch.Exit, saved bool, err error) error {
	var failure *launch.RankError
	if !errors.As(err, &failure) {
		return err
	}
	text := "stopped by a signal"
	for _, e := range exits {
		switch {
		case e.Code == exitSaved && e.Report != nil:
			text = e.Report.Text + savedText
		case saved && e.Code != exitUsage: // also if a rank was lost at the same time
		case e.Code != exitDone && e.Code != exitSaved && e.Code != exitFailed && !(e.BySupervisor &&
			e.Signal == syscall.SIGTERM):
			return err
		}
	}
	code := launch.ExitCode(err)
	if saved && code != exitSaved { // it was stopped during a restart
		code, text = exitSaved, text+continuesText(&continuable{err})
	}
	return &stopError{err, text, code}
}

// continuable is the error of a run that has a checkpoint, from which the same command continues. If a signal was the
// cause, the exit code says so.
type continuable struct{ error }

func (e *continuable) Unwrap() error { return e.error }

// continuesText is appended to the message about a run that a signal has ended before it could save its state.
func continuesText(err error) string {
	if !errors.As(err, new(*continuable)) {
		return ""
	}
	return "; the same command continues from the last checkpoint"
}

// savedText is appended to the message that says at which time a run stopped.
const savedText = "; its state is saved, and the same command continues from there"
