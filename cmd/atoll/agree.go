package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// introduction is what ranks tell each other before they start.
type introduction struct {
	Build, Case string
	Error       string // why the rank cannot start
}

// agree lets no rank start unless all run the same program on the same case. bad is why this rank cannot.
func (r *rank) agree(ctx context.Context, comm dist.Comm, c *config.Case, bad error) error {
	own := introduction{Build: summary.BuildID()}
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
	others := make([]introduction, len(all))
	for rank, text := range all {
		if err := json.Unmarshal(text, &others[rank]); err != nil {
			return &dist.PeerError{Rank: rank, Err: err}
		}
	}
	return differ(others, comm.Rank(), bad)
}

// differ is the error that keeps a rank from starting; bad is its own.
func differ(all []introduction, rank int, bad error) error {
	for r, i := range all {
		if i.Error != "" {
			return failed(r, i.Error, rank, bad)
		}
	}
	for r, i := range all {
		switch {
		case i.Build != all[0].Build:
			return &common{usageError{fmt.Errorf("rank %d runs another program than rank 0: %s, not %s", r, i.Build,
				all[0].Build)}, 0}
		case i.Case != all[0].Case:
			return &common{usageError{fmt.Errorf("rank %d has another case than rank 0: is the file the same on all machines?",
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
		return &common{own, rank}
	}
	return &common{badInput(fmt.Errorf("rank %d: %s", rank, text)), rank}
}

// common is an error that all ranks have, and that one of them tells.
type common struct {
	error
	teller int
}

func (e *common) Unwrap() error { return e.error }

// rankFailure is the error of a rank that is a process of its own, beside others that write to the same place.
type rankFailure struct {
	error
	place launch.Place
	all   bool // every rank is to tell
}

func (e *rankFailure) Unwrap() error { return e.error }

// failure says whose error it is, for ranks that a launcher has started.
func (r *rank) failure(err error) error {
	if err == nil || r.place.Launcher == launch.None {
		return err
	}
	return &rankFailure{err, r.place, r.logRanks}
}

// told tells whether this rank should print its error. What all ranks know alike one of them prints; a rank that only
// followed another into failure leaves the word to rank 0, or to rank 1 when rank 0 is the one that was lost.
func (e *rankFailure) told(stopped bool) bool {
	var alike *common
	var lost *dist.PeerError
	var abort *dist.AbortError
	var bad *solvers.BadInput
	var usage usageError
	rank := e.place.Rank
	if e.place.Epoch > 0 && (e.followed(stopped) || stopped || errors.As(e.error, new(*run.Stopped))) {
		return e.all // the supervisor tells
	}
	if e.place.Launcher == launch.Atoll && !errors.As(e.error, &alike) && !errors.As(e.error, &bad) {
		return !stopped || rank == 0 // of the rest the parent shows what a reader needs
	}
	switch {
	case e.all:
		return true
	case errors.As(e.error, &alike):
		return rank == alike.teller
	case errors.As(e.error, &lost) && lost.Rank != rank:
		return rank == 0 || rank == 1 && lost.Rank == 0
	case errors.As(e.error, &abort) && abort.Rank != rank:
		return rank == 0
	case stopped, errors.As(e.error, &bad), errors.As(e.error, &usage):
		return rank == 0
	}
	return true
}

// await gives the signal that may have ended another rank the time to come here too: it reaches one rank after the
// other.
func (e *rankFailure) await(ctx context.Context) {
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
	if e.place.Launcher == launch.Atoll {
		return ""
	}
	return fmt.Sprintf("[rank %d] ", e.place.Rank)
}
