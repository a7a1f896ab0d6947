package run

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/dist"
)

// BadInput is an error that the user's input caused: the run did not start.
type BadInput struct{ Err error }

func (e *BadInput) Error() string { return e.Err.Error() }
func (e *BadInput) Unwrap() error { return e.Err }

// agree makes an error in the set-up of one rank the bad input of all: that of the lowest rank that has one. An error
// that no input causes stays that of its rank: Run tells the others.
func agree(ctx context.Context, comm dist.Comm, mine error) error {
	if failure(mine) {
		return mine
	}
	var text []byte
	if mine != nil {
		text = []byte(mine.Error())
	}
	all, err := comm.Allgatherv(ctx, text)
	if err != nil {
		return err
	}
	for r, t := range all {
		if len(t) > 0 {
			if r == comm.Rank() {
				return &BadInput{mine}
			}
			return &BadInput{errors.New(string(t))}
		}
	}
	return nil
}

// failure tells whether a run failed that may well have been asked for: a rank was lost or gave up, or it was stopped.
func failure(err error) bool {
	var peer *dist.PeerError
	var abort *dist.AbortError
	return errors.As(err, &peer) || errors.As(err, &abort) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
